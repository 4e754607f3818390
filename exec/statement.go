package exec

import (
	"context"
	"errors"
	"io"
	"slices"

	"github.com/saltsql/saltsql/exec/op"
	"github.com/saltsql/saltsql/exec/write"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/planner/plan"
)

// Statement is a plan ready to run: any number of times, once at a time. Its
// buffers are kept from run to run.
type Statement struct {
	plan *plan.Plan
	root op.Operator
	need op.Needs
	size planSize

	cx    *op.Context
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
		return nil, op.MapError(context.Background(), err, p.Tables)
	}
	s := &Statement{plan: p, root: root, need: needsOf(p.Root)}
	s.size.add(p.Root)
	if s.need.Together {
		s.need.All = p.Tag == "MERGE"
		s.root = write.NewTogether(p.Root, root)
	}
	return s, nil
}

// Plan is what it runs.
func (s *Statement) Plan() *plan.Plan { return s.plan }

// Open starts a run. The statement must be closed, also after an error.
func (s *Statement) Open(cx *op.Context) error {
	if s.state != idle {
		return sqlerr.Internal(nil, "statement is open already")
	}
	s.cx, s.state, s.err = cx, running, nil
	return s.fail(op.Guarded(s.open))
}

func (s *Statement) open() error {
	if s.plan.Serial {
		s.cx.Settings.Fanout = 1
	}
	if err := s.cx.Begin(s.need); err != nil {
		return err
	}
	return s.root.Open(s.cx)
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
	defer op.Recover(&err)
	return s.root.Next()
}

// fail ends the run with err, undoing what the statement wrote.
func (s *Statement) fail(err error) error {
	if err == nil {
		return nil
	}
	s.state = finished
	s.err = op.MapError(s.cx.Ctx, err, s.plan.Tables)
	s.shut()
	return s.err
}

// Park gives up the memory of a run; false where it cannot. The batch given last is void
// where it can.
func (s *Statement) Park() (bool, error) {
	if s.state != running || s.need.Writes || !op.Parks(s.root) {
		return false, nil
	}
	if err := op.Guarded(func() error { return op.Park(s.root) }); err != nil {
		return false, s.fail(err)
	}
	return true, nil
}

// Held is about what the run holds between two calls of Next, beside what is booked.
func (s *Statement) Held() int64 {
	if s.state != running {
		return 0
	}
	return op.Holds(s.root)
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
	err := errors.Join(s.root.Close(), s.cx.End())
	return op.MapError(context.Background(), err, s.plan.Tables)
}

// planReads counts what the nodes of a plan do.
type planReads struct {
	scans  int // nodes that read
	points int // of them, reads of one row
	writes bool
	locks  bool
	oneRow bool // writes, but one row at most
	params int  // the highest parameter that joins set
}

// needsOf says what a plan asks of the store.
func needsOf(n plan.Node) op.Needs {
	var r planReads
	r.look(n)
	if r.writes && !writesAlone(n) {
		return op.Needs{Snapshot: true, Writes: true, Locks: r.locks, Params: r.params, Together: true, Main: mainWrite(n)}
	}
	// The reads must be of one moment where there are several, or one that goes on
	// while the statement writes.
	return op.Needs{Snapshot: r.scans > 1 || r.scans > r.points, Writes: r.writes, OneRow: r.oneRow, Locks: r.locks, Params: r.params}
}

// writesAlone says that a plan is one node that writes, perhaps below WITH queries that it
// reads: nothing reads or writes once that node has committed.
func writesAlone(n plan.Node) bool {
	if w, ok := n.(*plan.With); ok {
		return !plan.Writes(w.Query) && writesAlone(w.Body)
	}
	if !plan.WritesHere(n) {
		return false
	}
	return !slices.ContainsFunc(n.Inputs(), plan.Writes)
}

// mainWrite gives the node that writes for the statement itself and not for a WITH query;
// nil where none does.
func mainWrite(n plan.Node) plan.Node {
	if plan.WritesHere(n) {
		return n
	}
	if w, ok := n.(*plan.With); ok {
		return mainWrite(w.Body)
	}
	for _, in := range n.Inputs() {
		if m := mainWrite(in); m != nil {
			return m
		}
	}
	return nil
}

func (r *planReads) look(n plan.Node) {
	before := r.scans
	switch n := n.(type) {
	case *plan.Scan:
		r.scans++
		if n.Reduced != nil {
			r.params = max(r.params, n.Reduced.Param)
		}
		if n.Access == plan.PointRead {
			r.points++
		}
	case *plan.HashJoin:
		for _, k := range n.Reduce {
			r.params = max(r.params, k.Param)
		}
	case *plan.Apply:
		for _, p := range n.Params {
			r.params = max(r.params, p.N)
		}
		r.look(n.Right) // it runs many times
	case *plan.LookupJoin:
		r.scans += 2 // many reads
	case *plan.Lock:
		r.locks = true
	case *plan.Insert:
		r.write(givesOneRow(n.Input) && !n.Table.KeepsIndexes())
	case *plan.Upsert:
		r.write(givesOneRow(n.Input) && !n.Table.KeepsIndexes())
	case *plan.Update:
		r.write(givesOneRow(n.Input) && !n.MovesKey && !n.Table.KeepsIndexes())
	case *plan.Delete:
		r.write(givesOneRow(n.Input) && !n.Table.KeepsIndexes())
	}
	for _, in := range n.Inputs() {
		r.look(in)
	}
	if _, ok := n.(*plan.RecursiveUnion); ok {
		r.scans += r.scans - before // they run more than once
	}
}

func (r *planReads) write(oneRow bool) {
	r.oneRow = oneRow && !r.writes
	r.writes = true
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
	case *plan.RowByRow:
		return givesOneRow(n.Input)
	}
	return false
}
