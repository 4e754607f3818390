package tree

// Merge is a MERGE.
type Merge struct {
	With   *With
	Table  TableRef
	Source From
	On     Expr
	Whens  []MergeWhen
}

// MergeWhen is one WHEN clause.
type MergeWhen struct {
	Pos
	Matched bool // WHEN MATCHED, else WHEN NOT MATCHED
	Cond    Expr // after AND; nil is true
	Action  MergeAction
	Set     []Assign // of MergeUpdate
	Insert  *Insert  // of MergeInsert: without a table
}

// MergeAction is what a WHEN clause does.
type MergeAction uint8

// The actions.
const (
	MergeNothing MergeAction = iota
	MergeUpdate
	MergeDelete
	MergeInsert
)

func (*Merge) isDML() {}
