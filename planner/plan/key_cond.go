package plan

import (
	"slices"

	"github.com/saltsql/saltsql/internal/expr"
)

// KeyCond is a disjunction of conjunctions of constraints on key columns.
type KeyCond struct {
	Or []KeyConj
	// Within are lists of parts of the table, each a text[] of their tokens: of each list the rows
	// are in one. See catalog/part.
	Within []expr.Expr
	// Span is the condition as the user wrote it, for EXPLAIN.
	Span string
	// MaxSpans, over 0, has neighbouring spans joined until there are at most so
	// many in a bucket: the condition must then be evaluated for each row. 0 is
	// rowcodec's default.
	MaxSpans int
}

// KeyConj is a conjunction.
type KeyConj struct {
	Terms []KeyTerm
}

// KeyOp is the kind of a KeyTerm.
type KeyOp uint8

const (
	KeyEq         KeyOp = iota // column = Args[0]
	KeyLt                      // <
	KeyLe                      // <=
	KeyGt                      // >
	KeyGe                      // >=
	KeyIn                      // column IN (Args…)
	KeyInArray                 // column = ANY (Args[0])
	KeyPrefix                  // column starts with Args[0] (text)
	KeyIsNull                  // column IS NULL (adopted tables)
	KeyTuple                   // (Columns…) Tuple (Args…): "<", "<=", ">", ">="
	KeyTupleIn                 // (Columns…) IN rows: Args holds them one after another
	KeyLike                    // column LIKE Args[0]: the prefix is found when it runs
	KeyRegex                   // column ~ Args[0]: likewise
	KeyNe                      // column <> Args[0]
	KeyNotIn                   // column NOT IN (Args…)
	KeyNotInArray              // column <> ALL (Args[0])
	KeyIsNotNull               // column IS NOT NULL (adopted tables)
)

// KeyTerm is one constraint. Args are free of columns: literals, parameters,
// stable functions. An Arg that is NULL makes the term false. A column of whole
// numbers may be compared (=, <, <=, >, >=, IN) with an Arg of type numeric or float8.
type KeyTerm struct {
	Op      KeyOp
	Columns []int // key positions
	Tuple   string
	Args    []expr.Expr
}

// MaxPoints is up to how many full keys are read one by one; a longer list is
// read as spans. It is not over rowcodec.DefaultMaxPoints.
const MaxPoints = 100_000

// FullKey says that every conjunction binds each of the key's columns to
// single values, so that the condition is a list of full keys. max is the most keys
// there can be; 0 is not known before the parameters are (= ANY($1)).
func (k *KeyCond) FullKey(keyColumns int) (full bool, max int) {
	if k == nil || len(k.Or) == 0 {
		return false, 0
	}
	total := 0
	for i := range k.Or {
		full, n := k.Or[i].Values(AllColumns(keyColumns))
		if !full {
			return false, 0
		}
		if n == 0 || total < 0 {
			total = -1
			continue
		}
		total = min(total+n, 1<<30)
	}
	return true, max0(total)
}

// Values says whether c binds each of the columns to single values, and gives the
// most combinations of them: 0 is not known.
func (c *KeyConj) Values(columns []int) (all bool, n int) {
	n = 1
	known := true
	for _, col := range columns {
		best, bound := 0, false
		for i := range c.Terms {
			m, ok := c.Terms[i].valuesOf(col)
			if !ok {
				continue
			}
			bound = true
			if m > 0 && (best == 0 || m < best) {
				best = m
			}
		}
		if !bound {
			return false, 0
		}
		if best == 0 {
			known = false
		} else {
			n = min(n*best, 1<<30)
		}
	}
	if !known {
		return true, 0
	}
	return true, n
}

// valuesOf says whether t binds column col to single values, and to how many at most:
// 0 is not known.
func (t *KeyTerm) valuesOf(col int) (n int, ok bool) {
	switch t.Op {
	case KeyEq, KeyIsNull:
		return 1, t.Columns[0] == col
	case KeyIn:
		return len(t.Args), t.Columns[0] == col
	case KeyInArray:
		return 0, t.Columns[0] == col
	case KeyTupleIn:
		for _, c := range t.Columns {
			if c == col {
				return len(t.Args) / len(t.Columns), true
			}
		}
	}
	return 0, false
}

// HasArg says that fn holds for an argument of a term.
func (k *KeyCond) HasArg(fn func(expr.Expr) bool) bool {
	if k == nil {
		return false
	}
	for _, c := range k.Or {
		for _, t := range c.Terms {
			for _, a := range t.Args {
				if fn(a) {
					return true
				}
			}
		}
	}
	return slices.ContainsFunc(k.Within, fn)
}

func AllColumns(n int) []int {
	cols := make([]int, n)
	for i := range cols {
		cols[i] = i
	}
	return cols
}

func max0(n int) int { return max(n, 0) }
