package exec

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage/txn"
)

// Statement is a plan ready to run: any number of times, once at a time. Its
// buffers are kept from run to run.
type Statement struct {
	plan *plan.Plan
	root Operator
	need reads

	cx    *Context
	state state
	err   error
}

type state uint8

const (
	idle state = iota
	running
	finished // io.EOF or an error was given
)

// Prepare makes a plan ready to run. It does no I/O.
func Prepare(p *plan.Plan) (*Statement, error) {
	root, err := Build(p.Root)
	if err != nil {
		return nil, MapError(context.Background(), err, p.Tables)
	}
	s := &Statement{plan: p, root: root}
	s.need.look(p.Root)
	return s, nil
}

// Plan is what it runs.
func (s *Statement) Plan() *plan.Plan { return s.plan }

// Open starts a run. The statement must be closed, also after an error.
func (s *Statement) Open(cx *Context) error {
	if s.state != idle {
		return sqlerr.Internal(nil, "statement is open already")
	}
	s.cx, s.state, s.err = cx, running, nil
	return s.fail(guarded(s.open))
}

func (s *Statement) open() error {
	cx := s.cx
	if cx.Actuals != nil {
		cx.start = time.Now()
	}
	if s.plan.Serial {
		cx.Settings.Fanout = 1
	}
	cx.openMemory()
	cx.wantSnapshot = s.need.snapshot() || cx.Frozen
	switch {
	case cx.Txn != nil:
		cx.Txn.SetLockTimeout(cx.Settings.LockTimeout)
		cx.mark = cx.Txn.Mark()
		cx.store = cx.Txn.Store()
	case s.need.writes && !s.need.oneRow && cx.Txns.Atomic():
		t, err := cx.Txns.Begin(cx.Ctx, txn.Options{MaxBytes: cx.Settings.MaxTxnBytes, LockTimeout: cx.Settings.LockTimeout})
		if err != nil {
			return err
		}
		cx.implicit = t
		cx.store = t.Store()
	default:
		cx.store = cx.Txns.Auto()
		if s.need.writes && cx.Settings.LockTimeout > 0 {
			cx.Ctx = txn.WithLockTimeout(cx.Ctx, cx.Settings.LockTimeout)
		}
	}
	cx.caps = cx.store.Caps()
	if cx.Frozen {
		if _, err := cx.snapshot(); err != nil {
			return err
		}
	}
	return s.root.Open(cx)
}

// Next gives the next rows, or io.EOF. A statement that writes does all of it,
// and commits where it runs outside of a transaction, before its first rows
// come. After an error it gives that error again.
func (s *Statement) Next() (*vec.Batch, error) {
	if s.state != running {
		if s.err == nil {
			s.err = io.EOF
		}
		return nil, s.err
	}
	b, err := s.next()
	if err == io.EOF {
		s.state, s.err = finished, io.EOF
		return nil, io.EOF
	}
	if err != nil {
		return nil, s.fail(err)
	}
	return b, nil
}

func (s *Statement) next() (b *vec.Batch, err error) {
	defer catch(&err)
	return s.root.Next()
}

// fail ends the run with err, undoing what the statement wrote.
func (s *Statement) fail(err error) error {
	if err == nil {
		return nil
	}
	s.state = finished
	s.err = MapError(s.cx.Ctx, err, s.plan.Tables)
	s.shut()
	return s.err
}

// RowsAffected is how many rows the statement wrote, for the command tag.
func (s *Statement) RowsAffected() int64 {
	if s.cx == nil {
		return 0
	}
	return s.cx.Work.RowsWritten
}

// Close ends the run: scans are canceled and waited for. What was written is
// undone unless Next came to the first row or to io.EOF. It is idempotent.
func (s *Statement) Close() error {
	if s.state == idle {
		return nil
	}
	err := s.shut()
	s.state = idle
	return err
}

func (s *Statement) shut() error {
	cx := s.cx
	err := s.root.Close()
	cx.mu.Lock()
	if cx.snap != nil {
		err = errors.Join(err, cx.snap.Close())
		cx.snap = nil
	}
	cx.mu.Unlock()
	if cx.implicit != nil {
		cx.implicit.Rollback() // nothing is left where it was committed
		cx.implicit = nil
		if cx.Writing != nil {
			_ = cx.Writing(0) // less cannot fail
		}
	}
	cx.Memory.Close()
	if s.need.writes && !cx.finished && cx.Txn != nil {
		cx.Txn.RollbackTo(cx.mark)
		cx.finished = true
	}
	return MapError(context.Background(), err, s.plan.Tables)
}

// commit ends the implicit transaction, if there is one.
func (cx *Context) commit() error {
	if cx.implicit == nil {
		return nil
	}
	return cx.implicit.Commit(cx.Ctx, cx.writeOptions())
}

// reads says what a plan asks of the store.
type reads struct {
	scans  int // nodes that read
	points int // of them, reads of one row
	writes bool
	oneRow bool // writes, but one row at most
}

func (r *reads) look(n plan.Node) {
	switch n := n.(type) {
	case *plan.Scan:
		r.scans++
		if n.Access == plan.PointRead {
			r.points++
		}
	case *plan.Insert:
		r.write(givesOneRow(n.Input))
	case *plan.Upsert:
		r.write(givesOneRow(n.Input))
	case *plan.Update:
		r.write(givesOneRow(n.Input) && !n.MovesKey)
	case *plan.Delete:
		r.write(givesOneRow(n.Input))
	}
	for _, in := range n.Inputs() {
		r.look(in)
	}
}

func (r *reads) write(oneRow bool) {
	r.oneRow = oneRow && !r.writes
	r.writes = true
}

// snapshot says that the reads must be of one moment: several, or one that
// goes on while the statement writes.
func (r *reads) snapshot() bool {
	return r.scans > 1 || r.scans > r.points
}

// givesOneRow says that a node gives at most one row.
func givesOneRow(n plan.Node) bool {
	switch n := n.(type) {
	case *plan.Values:
		return len(n.Rows) <= 1
	case *plan.OneRow:
		return true
	case *plan.Scan:
		return n.Access == plan.PointRead
	case *plan.Filter:
		return givesOneRow(n.Input)
	case *plan.Project:
		return givesOneRow(n.Input)
	case *plan.Limit:
		return givesOneRow(n.Input)
	}
	return false
}

// tablesOf lists the tables a node reads.
func tablesOf(n plan.Node, dst []*catalog.Table) []*catalog.Table {
	if s, ok := n.(*plan.Scan); ok {
		dst = append(dst, s.Table)
	}
	for _, in := range n.Inputs() {
		dst = tablesOf(in, dst)
	}
	return dst
}
