package relational

import (
	"bytes"
	"cmp"
	"io"
	"math"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// limit skips Offset rows and passes Count, and with Ties those after that equal the last one.
type limit struct {
	n          *plan.Limit
	in         op.Operator
	skip, left int64
	sel        []uint16
	done       bool

	cx   *op.Context
	ties *spill.Keys // nil without Ties
	last []byte      // the key of the last row, once Count rows were passed
	key  []byte
}

func NewLimit(n *plan.Limit, in op.Operator) (op.Operator, error) {
	l := &limit{n: n, in: in}
	if n.Ties == nil {
		return l, nil
	}
	var err error
	l.ties, err = spill.NewSortKeys(n.Ties)
	return l, err
}

func (l *limit) Open(cx *op.Context) error {
	var err error
	if l.left, l.skip, err = countAndOffset(cx.Env, l.n.Count, l.n.Offset); err != nil {
		return err
	}
	l.cx, l.last = cx, l.last[:0]
	l.done = l.left == 0
	if l.done {
		return nil
	}
	return l.in.Open(cx)
}

// countAndOffset evaluates LIMIT and OFFSET; no limit is the largest count.
func countAndOffset(env *expr.Env, count, offset expr.Expr) (n, skip int64, err error) {
	n = math.MaxInt64
	if count != nil {
		d, err := eval.EvalConst(env, count)
		if err != nil {
			return 0, 0, err
		}
		if !d.Null {
			if n = d.Int; n < 0 {
				return 0, 0, sqlerr.New(sqlerr.InvalidRowCountInLimit, "LIMIT must not be negative")
			}
		}
	}
	if offset != nil {
		d, err := eval.EvalConst(env, offset)
		if err != nil {
			return 0, 0, err
		}
		if !d.Null {
			if skip = d.Int; skip < 0 {
				return 0, 0, sqlerr.New(sqlerr.InvalidRowCountInOffset, "OFFSET must not be negative")
			}
		}
	}
	return n, skip, nil
}

func (l *limit) Next() (*vec.Batch, error) {
	for !l.done {
		b, err := l.in.Next()
		if err != nil {
			return nil, err
		}
		rows := int64(b.Rows())
		if l.left == 0 { // with Ties
			n, err := l.equal(b, 0)
			l.done = n < int(rows)
			if err != nil || n == 0 {
				return nil, cmp.Or(err, io.EOF)
			}
			l.cut(b, 0, n)
			return b, nil
		}
		if rows <= l.skip {
			l.skip -= rows
			continue
		}
		take := min(rows-l.skip, l.left)
		if l.left != math.MaxInt64 {
			l.left -= take
		}
		l.done = l.left == 0
		if l.done && l.ties != nil {
			n, err := l.equal(b, int(l.skip+take))
			if err != nil {
				return nil, err
			}
			take += int64(n)
			l.done = l.skip+take < rows
		}
		l.cut(b, int(l.skip), int(take))
		l.skip = 0
		return b, nil
	}
	return nil, io.EOF
}

// equal counts the rows of b from its from-th on that equal the last one passed, which
// is the one before, or of a batch before.
func (l *limit) equal(b *vec.Batch, from int) (n int, err error) {
	if err := l.ties.EvalAll(l.cx.Env, b); err != nil {
		return 0, err
	}
	if from > 0 {
		l.last = l.ties.Append(l.last[:0], b.Row(from-1))
	}
	for ; from+n < b.Rows(); n++ {
		l.key = l.ties.Append(l.key[:0], b.Row(from+n))
		if !bytes.Equal(l.key, l.last) {
			break
		}
	}
	return n, nil
}

// cut keeps n of b's rows after the first skip.
func (l *limit) cut(b *vec.Batch, skip, n int) {
	switch {
	case b.Sel != nil:
		b.Sel = b.Sel[skip : skip+n]
	case skip == 0:
		b.N = n
	default:
		l.sel = l.sel[:0]
		for i := skip; i < skip+n; i++ {
			l.sel = append(l.sel, uint16(i))
		}
		b.Sel = l.sel
	}
}

func (l *limit) Close() error { return l.in.Close() }
