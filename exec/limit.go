package exec

import (
	"io"
	"math"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// limit skips Offset rows and passes Count.
type limit struct {
	n          *plan.Limit
	in         Operator
	skip, left int64
	sel        []uint16
	done       bool
}

func newLimit(n *plan.Limit) (Operator, error) {
	in, err := Build(n.Input)
	if err != nil {
		return nil, err
	}
	return &limit{n: n, in: in}, nil
}

func (l *limit) Open(cx *Context) error {
	var err error
	if l.left, l.skip, err = countAndOffset(cx.Env, l.n.Count, l.n.Offset); err != nil {
		return err
	}
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
		d, err := expr.EvalConst(env, count)
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
		d, err := expr.EvalConst(env, offset)
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
		if rows <= l.skip {
			l.skip -= rows
			continue
		}
		take := min(rows-l.skip, l.left)
		l.cut(b, int(l.skip), int(take))
		l.skip = 0
		if l.left != math.MaxInt64 {
			l.left -= take
		}
		l.done = l.left == 0
		return b, nil
	}
	return nil, io.EOF
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
