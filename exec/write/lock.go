package write

import (
	"io"
	"math"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// lock gives rows once their parts are locked, as they are then, and never locks more of them
// than are asked for.
//
// Where the store is atomic the transaction holds the locks until its end, which outside of a
// block is the statement's. Elsewhere there are no locks: in a block a row's marker cell is
// renewed at COMMIT on the condition that nobody has written the row since; outside of one
// nothing is done.
type lock struct {
	n      *plan.Lock
	in     op.Operator
	tables []*lockedTable
	cond   *eval.Prog

	cx      *op.Context
	left    int64 // rows to give
	b       *vec.Batch
	at      int // rows of b done with
	out     *vec.Batch
	changed []bool // rows of out that are not as they were read
	sel     []uint16
}

// NewLock makes the operator of a Lock.
func NewLock(n *plan.Lock, in op.Operator) (op.Operator, error) {
	l := &lock{n: n, in: in, out: vec.NewBatch(op.TypesOf(n))}
	for i := range n.Tables {
		t, err := newLockedTable(&n.Tables[i])
		if err != nil {
			return nil, err
		}
		l.tables = append(l.tables, t)
	}
	if n.Cond == nil {
		return l, nil
	}
	var err error
	l.cond, err = eval.Compile(n.Cond)
	return l, err
}

func (l *lock) Open(cx *op.Context) error {
	l.cx, l.b, l.at = cx, nil, 0
	for _, t := range l.tables {
		if err := t.open(cx); err != nil {
			return err
		}
	}
	var err error
	if l.left, err = l.most(); err != nil {
		return err
	}
	return l.in.Open(cx)
}

// most is how many rows the Limit above takes.
func (l *lock) most() (int64, error) {
	most := int64(0)
	if l.n.Count == nil {
		return math.MaxInt64, nil
	}
	for _, e := range []expr.Expr{l.n.Count, l.n.Offset} {
		if e == nil {
			continue
		}
		d, err := eval.EvalConst(l.cx.Env, e)
		switch {
		case err != nil:
			return 0, err
		case d.Null && e == l.n.Count, d.Int > math.MaxInt64-most:
			return math.MaxInt64, nil
		case !d.Null && d.Int > 0: // the Limit refuses others
			most += d.Int
		}
	}
	return most, nil
}

func (l *lock) Next() (*vec.Batch, error) {
	for l.left > 0 {
		if l.b == nil || l.at >= l.b.Rows() {
			var err error
			if l.b, err = l.in.Next(); err != nil {
				return nil, err
			}
			l.at = 0
			continue
		}
		n := int(min(int64(l.b.Rows()-l.at), l.left))
		if err := l.some(n); err != nil {
			return nil, err
		}
		l.at += n
		if rows := l.out.Rows(); rows > 0 {
			l.left -= int64(rows)
			return l.out, nil
		}
	}
	return nil, io.EOF
}

// some locks the next n rows and has out give those of them that are to be given.
func (l *lock) some(n int) error {
	l.copyInput(n)
	if !l.cx.InTxn() {
		return nil
	}
	rows := l.sel[:0]
	for i := range n {
		rows = append(rows, uint16(i))
	}
	l.changed = boolsOf(l.changed, n)
	for _, t := range l.tables {
		var err error
		if rows, err = t.lock(l.out, rows, l.changed); err != nil {
			return err
		}
	}
	l.sel = rows
	return l.stillAskedFor()
}

// copyInput puts the next n rows into out.
func (l *lock) copyInput(n int) {
	l.out.N, l.out.Sel = n, nil
	for c, v := range l.out.Cols {
		v.Resize(n)
		for i := range n {
			vec.CopySlot(v, i, l.b.Cols[c], l.b.Row(l.at+i))
		}
	}
}

// stillAskedFor leaves out of the rows that are locked those that have changed so that the
// statement does not ask for them any more.
func (l *lock) stillAskedFor() error {
	kept := l.sel[:0]
	var again []uint16
	for _, i := range l.sel {
		if l.changed[i] && l.cond != nil {
			again = append(again, i)
		}
	}
	if len(again) == 0 {
		l.out.Sel = l.sel
		return nil
	}
	holds, err := l.cond.Filter(l.cx.Env, &vec.Batch{Cols: l.out.Cols, N: l.out.N, Sel: again}, nil)
	if err != nil {
		return err
	}
	for _, i := range l.sel {
		if l.changed[i] {
			if len(holds) == 0 || holds[0] != i {
				continue
			}
			holds = holds[1:]
		}
		kept = append(kept, i)
	}
	l.sel, l.out.Sel = kept, kept
	return nil
}

func (l *lock) Close() error {
	if l.cx != nil {
		for _, t := range l.tables {
			l.cx.AddWork(l.n, &t.w.work)
			t.w.work = plan.Actual{}
		}
		l.cx = nil
	}
	return l.in.Close()
}
