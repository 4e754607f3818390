package write

import (
	"bytes"
	"errors"
	"io"
	"math"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/spill"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// lock gives rows once they are locked, as they are then, and never locks more of them than
// are asked for.
//
// Where the store is atomic the transaction holds the locks until its end, which outside of a
// block is the statement's. Elsewhere there are no locks: in a block a row's marker cell is
// renewed at COMMIT on the condition that nobody has written the row since; outside of one
// nothing is done.
type lock struct {
	n      *plan.Lock
	in     op.Operator
	w      tableWriter
	reader rowReader
	cond   *eval.Prog

	cx     *op.Context
	locker txn.RowLocker // nil where the store has none
	wait   txn.Wait
	left   int64 // rows to give
	b      *vec.Batch
	at     int // rows of b done with
	taken  []bool
	keys   [][]byte
	out    *vec.Batch
}

// NewLock makes the operator of a Lock.
func NewLock(n *plan.Lock, in op.Operator) (op.Operator, error) {
	l := &lock{n: n, in: in, out: vec.NewBatch(op.TypesOf(n))}
	switch {
	case n.NoWait:
		l.wait = txn.NoWait
	case n.SkipLocked:
		l.wait = txn.SkipLocked
	}
	if err := l.w.init(n.Table); err != nil {
		return nil, err
	}
	if n.Cond != nil {
		var err error
		if l.cond, err = eval.Compile(n.Cond); err != nil {
			return nil, err
		}
	}
	return l, l.reader.init(n.Table, &l.w)
}

func (l *lock) Open(cx *op.Context) error {
	l.cx, l.b, l.at, l.locker = cx, nil, 0, nil
	l.w.open(cx)
	if cx.InTxn() && cx.Caps().AtomicBatch {
		l.locker, _ = l.w.table.(txn.RowLocker)
	}
	if cx.InTxn() && l.locker == nil && (l.w.packed || l.n.Table.Options.TTL > 0) {
		return sqlerr.Unsupported("locking rows of a table with a TTL, or of packed rows, is not supported on this store",
			"UPDATE … RETURNING reads and changes a row in one atomic step.")
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
		if l.out.N > 0 {
			l.left -= int64(l.out.N)
			return l.out, nil
		}
	}
	return nil, io.EOF
}

// some locks the next n rows and puts those that are to be given into out.
func (l *lock) some(n int) error {
	l.out.N, l.out.Sel = 0, nil
	for _, v := range l.out.Cols {
		v.Resize(n)
	}
	key := len(l.n.Table.Columns)
	l.keys = l.keys[:0]
	for i := range n {
		l.keys = append(l.keys, l.b.Cols[key].Bytes[l.b.Row(l.at+i)])
	}
	if !l.cx.InTxn() {
		for i := range n {
			l.give(l.b, l.b.Row(l.at+i))
		}
		return nil
	}
	if l.locker == nil {
		for i := range n {
			if err := l.renew(l.b.Row(l.at + i)); err != nil {
				return err
			}
		}
		return nil
	}
	l.taken = boolsOf(l.taken, n)
	if err := l.locker.LockRows(l.cx.Ctx, l.keys, l.wait, l.taken); err != nil {
		if l.wait == txn.NoWait && errors.Is(err, txn.ErrLockTimeout) {
			return sqlerr.New(sqlerr.LockNotAvailable, `could not obtain lock on row in relation "%s"`, l.n.Table.Name)
		}
		return err
	}
	now, err := l.reader.read(l.keys)
	if err != nil || now == nil {
		return err
	}
	for i := range n {
		slot, at := l.b.Row(l.at+i), l.reader.find(l.keys[i])
		if !l.taken[i] || at < 0 {
			continue // it is another's, or gone
		}
		if now.Cols[key+1].Ints[at] == l.b.Cols[key+1].Ints[slot] {
			l.give(l.b, slot)
			continue
		}
		ok, err := l.still(now, at, slot)
		if err != nil {
			return err
		}
		if ok {
			l.give(now, at)
		}
	}
	return nil
}

// renew has the row at a slot of the input tested and its marker renewed at COMMIT.
func (l *lock) renew(slot int) error {
	key := len(l.n.Table.Columns)
	from, at := l.b, slot
	k := bytes.Clone(l.b.Cols[key].Bytes[slot])
	matched := make([]bool, 1)
	for {
		l.w.begin()
		version := from.Cols[key+1].Ints[at]
		muts, err := l.w.update(nil, nil, at, l.w.stamp(k, version), nil, 0)
		if err != nil {
			return err
		}
		matched[0] = false
		if err := l.w.apply([]storage.CondMutation{{Key: k, Cond: l.w.unchanged(version), Then: muts}}, matched); err != nil {
			return err
		}
		if matched[0] {
			l.give(from, at)
			return nil
		}
		if from, err = l.reader.read([][]byte{k}); err != nil || from == nil {
			return err
		}
		at = 0
		if ok, err := l.still(from, at, slot); err != nil || !ok {
			return err
		}
	}
}

// still says whether a row that has changed since the input read it, at slot, is still one
// that the statement asks for.
func (l *lock) still(now *vec.Batch, at, slot int) (bool, error) {
	if how := l.n.Again; how != nil {
		image := func(b *vec.Batch, slot int) []byte {
			cols := make([]*vec.Vec, len(how.Columns))
			for i, c := range how.Columns {
				cols[i] = b.Cols[c]
			}
			return spill.AppendRow(nil, cols, slot)
		}
		if !bytes.Equal(image(now, at), image(l.b, slot)) {
			return false, txn.ErrSerialization
		}
	}
	if l.cond == nil {
		return true, nil
	}
	sel, err := l.cond.Filter(l.cx.Env, &vec.Batch{Cols: now.Cols, N: now.N, Sel: []uint16{uint16(at)}}, nil)
	return len(sel) > 0, err
}

func (l *lock) give(from *vec.Batch, slot int) {
	for i, v := range l.out.Cols {
		vec.CopySlot(v, l.out.N, from.Cols[i], slot)
	}
	l.out.N++
}

func (l *lock) Close() error { return l.in.Close() }
