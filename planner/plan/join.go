package plan

import (
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// JoinKind says which rows a join gives.
type JoinKind uint8

const (
	Inner  JoinKind = iota // each pair that matches
	Left                   // also left rows without a match, the right's columns NULL
	Right                  // also right rows without a match, the left's columns NULL
	Full                   // both
	Semi                   // left rows that have a match, once
	Anti                   // left rows that surely have none
	Mark                   // all left rows, and a boolean: whether they have a match
	Single                 // as Left; 21000 where a left row has two matches
)

func (k JoinKind) String() string {
	return [...]string{"inner", "left", "right", "full", "semi", "anti", "mark", "single"}[k]
}

// GivesRight says that the right side's columns are among the join's.
func (k JoinKind) GivesRight() bool { return k <= Full || k == Single }

// JoinKey is one equality of a join: both sides have one type.
type JoinKey struct {
	Left  expr.Expr // over the left side's columns
	Right expr.Expr // over the right side's columns
	// NullsEqual: IS NOT DISTINCT FROM, which two NULLs satisfy.
	NullsEqual bool
	// Unknown: a NULL on either side makes the match unknown rather than false. Only of
	// Anti and Mark: see Match.
	Unknown bool
}

// Match is the condition of a join. A pair matches where all of it is true.
//
// Keys without Unknown and Filter have two values: a pair for which they are not
// true is no candidate. Keys with Unknown and Cond have three, as the comparison of
// IN, ANY and ALL has: a left row has a match (true) if all is true for one
// candidate, else an unknown one (NULL) if nothing is false for one candidate, else
// none. Mark gives that value; Anti gives the rows of which it is false.
type Match struct {
	Keys   []JoinKey
	Filter expr.Expr // over the left side's columns followed by the right's; nil is true
	Cond   expr.Expr // likewise; only of Anti and Mark
}

// Join is what joins of two inputs have in common.
type Join struct {
	Kind        JoinKind
	Left, Right Node
	Match
	MarkName string // of Mark's column
}

func (j *Join) Inputs() []Node    { return []Node{j.Left, j.Right} }
func (j *Join) EachExpr(x *Exprs) { x.match(&j.Match) }

// Columns are the left side's, then what the kind adds.
func (j *Join) Columns() []Column {
	return joinColumns(j.Kind, j.Left.Columns(), j.Right.Columns(), j.MarkName)
}

// AsJoin gives what a node joins, whatever it does so by; nil where it joins nothing.
func AsJoin(n Node) *Join {
	switch n := n.(type) {
	case *HashJoin:
		return &n.Join
	case *MergeJoin:
		return &n.Join
	case *NestedLoop:
		return &n.Join
	case *Apply:
		return &n.Join
	case *LookupJoin:
		return &Join{Kind: n.Kind, Left: n.Left, Right: n.Right, Match: Match{Keys: n.Same, Filter: n.Filter}}
	}
	return nil
}

// joinColumns gives the columns of a join.
func joinColumns(k JoinKind, left, right []Column, mark string) []Column {
	cols := append(make([]Column, 0, len(left)+len(right)+1), left...)
	switch {
	case k.GivesRight():
		cols = append(cols, right...)
	case k == Mark:
		cols = append(cols, Column{Name: mark, Type: types.Of(types.Bool)})
	}
	return cols
}

// Width is the number of a node's columns: that of a join is counted, where Columns would
// copy those of all joins below it.
func Width(n Node) int {
	if j := AsJoin(n); j != nil {
		switch {
		case j.Kind.GivesRight():
			return Width(j.Left) + Width(j.Right)
		case j.Kind == Mark:
			return Width(j.Left) + 1
		}
		return Width(j.Left)
	}
	switch n := n.(type) {
	case *Filter:
		return Width(n.Input)
	case *Sort:
		return Width(n.Input)
	case *Limit:
		return Width(n.Input)
	case *SaltGather:
		return Width(n.Input)
	case *SaltMerge:
		return Width(n.Input)
	case *Scan:
		w := len(n.Cols)
		if n.WithKey {
			w++
		}
		if n.WithVersion {
			w++
		}
		return w
	}
	return len(n.Columns())
}
