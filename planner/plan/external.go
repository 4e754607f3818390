package plan

// External gives rows that come from outside the plan: COPY FROM STDIN. Whoever runs
// the plan hands the source of the rows to exec.
type External struct {
	Name string // for EXPLAIN: "COPY"
	Cols []Column
}

var _ Node = (*External)(nil)

// Inputs gives none.
func (n *External) Inputs() []Node { return nil }

// Columns are those of the rows handed in.
func (n *External) Columns() []Column { return n.Cols }
