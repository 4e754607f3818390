package plan

// OneRow gives one row without columns: SELECT without FROM.
type OneRow struct{}

var _ Node = (*OneRow)(nil)

// Inputs gives none.
func (n *OneRow) Inputs() []Node { return nil }

// Columns gives none.
func (n *OneRow) Columns() []Column { return nil }
