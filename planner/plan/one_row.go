package plan

// OneRow gives one row without columns: SELECT without FROM.
type OneRow struct{}

func (n *OneRow) Inputs() []Node    { return nil }
func (n *OneRow) Columns() []Column { return nil }
func (n *OneRow) EachExpr(*Exprs)   {}
