package plan

// External gives rows that come from outside the plan: COPY FROM STDIN. Whoever runs
// the plan hands the source of the rows to exec.
type External struct {
	Name string // for EXPLAIN: "COPY"
	Cols []Column
}

func (n *External) Inputs() []Node    { return nil }
func (n *External) Columns() []Column { return n.Cols }
func (n *External) EachExpr(*Exprs)   {}
