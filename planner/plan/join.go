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
	join := func(k JoinKind, left, right Node) int {
		switch {
		case k.GivesRight():
			return Width(left) + Width(right)
		case k == Mark:
			return Width(left) + 1
		}
		return Width(left)
	}
	switch n := n.(type) {
	case *HashJoin:
		return join(n.Kind, n.Left, n.Right)
	case *MergeJoin:
		return join(n.Kind, n.Left, n.Right)
	case *NestedLoop:
		return join(n.Kind, n.Left, n.Right)
	case *LookupJoin:
		return join(n.Kind, n.Left, n.Right)
	case *Apply:
		return join(n.Kind, n.Left, n.Right)
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
