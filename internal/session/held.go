package session

import (
	"time"

	"github.com/saltsql/saltsql/exec"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/idle"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner"
)

// What a session holds between statements is counted in its own account: prepared
// statements, open portals and the message being read. 53200 where the pool has no
// memory for more.

// MaxStatementSize is the longest text of statements in bytes: 54000 beyond it.
const MaxStatementSize = dialect.MaxStatementSize

const (
	stmtBytes   = 16 << 10 // of a prepared statement, with the operators of its small runs
	portalBytes = 64 << 10 // of a portal that is being read, beside its rows
	boundBytes  = 2 << 10  // of a portal

	// smallRun is how many rows a run may read for its operators to be small.
	smallRun = 64
)

// held is the memory of what a statement of that text takes while it is kept.
func (st *Stmt) held() int64 {
	n := stmtBytes + int64(len(st.Text()))
	if st.st != nil {
		n += dialect.Held([]*tree.Statement{st.st})
	}
	if st.plan != nil {
		n += planner.Size(st.plan)
	}
	return n
}

// keepStmt names a statement.
func (s *Session) keepStmt(name string, st *Stmt) error {
	if name != "" {
		n := st.held()
		if err := s.held.Need(n); err != nil {
			return err
		}
		st.booked, st.made = n, time.Now()
	}
	s.stmts[name] = st
	return nil
}

// dropStmt forgets a statement.
func (s *Session) dropStmt(name string) {
	st, ok := s.stmts[name]
	if !ok {
		return
	}
	delete(s.stmts, name)
	if name != "" {
		_ = s.held.Need(-st.booked) // less cannot fail
	}
}

func (s *Session) dropStmts() {
	for name := range s.stmts {
		s.dropStmt(name)
	}
}

// Reserve makes n bytes what the session's connection holds for a message: 53200 where
// there is no memory for them.
func (s *Session) Reserve(n int64) error { return s.message.MustToOf(&s.held, n) }

// ReserveRows makes n bytes what the session's connection holds of rows that are on their
// way to the client: 53200 where there is no memory for them.
func (s *Session) ReserveRows(n int64) error { return s.sending.MustToOf(&s.held, n) }

// writeCopies is how often the bytes of a transaction's writes are in memory until they
// are committed: in the transaction, in the batch that is committed and in the store.
const writeCopies = 3

// bookWrites makes n bytes what the session's transaction holds of writes.
func (s *Session) bookWrites(n int64) error {
	return s.writes.MustToOf(&s.held, writeCopies*n)
}

// hold counts a portal that stays open: what it was bound to, and, once it has given
// rows and may give more, what its operators and pages hold for the next ones.
func (p *Portal) hold() error {
	n := int64(boundBytes)
	for i := range p.q.params {
		n += types.DatumSize + p.q.params[i].Behind()
	}
	if p.q.run != nil {
		n += portalBytes + p.q.run.Held()
	}
	if c, ok := p.run.(*cursorRunner); ok {
		n += c.once.Packed()
	}
	s := p.s
	d := n - s.booked[p]
	if err := s.held.Need(d); err != nil {
		return err
	}
	if s.booked == nil {
		s.booked = map[*Portal]int64{}
	}
	s.booked[p] = n
	return nil
}

// Suspend says that the caller is done with the rows that Next gave last, but for those
// that it has given back, and may not come for more soon. The portal stays as it is where
// it is the session's last to be suspended; the one before is parked.
func (p *Portal) Suspend() {
	s := p.s
	if p.closed || p.done || p.err != nil || p.q.run == nil || p.named != nil && p.readers > 0 {
		return
	}
	if last := s.suspended; last != nil && last != p {
		last.park()
	}
	p.resume()
	s.suspended = p
	if most := s.db.memory.Limit() / idle.Share; most > 0 && s.db.suspended.Add(s.booked[p]) > most {
		s.db.suspended.Add(-s.booked[p])
		p.park()
		return
	}
	s.suspendedBytes = s.booked[p]
}

// resume takes the portal back from Suspend.
func (p *Portal) resume() {
	s := p.s
	if s.suspended != p {
		return
	}
	s.suspended = nil
	s.db.suspended.Add(-s.suspendedBytes)
	s.suspendedBytes = 0
}

// park gives up a suspended portal's pages; its next rows are read anew. An error is told
// by the next call of Next.
func (p *Portal) park() {
	p.resume()
	cursorOf(p).once.Pack()
	_, _ = p.q.run.Park()
	_ = p.hold() // less, or what was booked
}

// letGo gives back what is booked for a portal.
func (s *Session) letGo(p *Portal) {
	if n := s.booked[p]; n > 0 {
		_ = s.held.Need(-n) // less cannot fail
		delete(s.booked, p)
	}
}

// idleBytes is about what operators hold after a run, and whether that is little.
func (r *operators) idleBytes() (n int64, little bool) {
	rows := r.cx.Work.RowsRead + r.cx.Work.RowsWritten
	return portalBytes + r.KeptBytes(max(rows, smallRun)), rows <= smallRun && r.mem.Peak() <= portalBytes
}

// maxIdlePeak is how much a run may have held of texts, groups and sorts for its
// operators to be kept.
const maxIdlePeak = 1 << 20

// give takes operators back for the next run: those that are small for the statement, others, and
// those of a statement that has no next run, for any session.
func (st *Stmt) give(s *Session, r *operators) {
	if st.once {
		return
	}
	if st.base != nil {
		st = st.base
	}
	n, little := r.idleBytes()
	switch {
	case little && !st.passing:
		st.ready = r
		return
	case little && (st.cached == nil || !st.cached.again.Load()):
		return // the text has come once
	}
	if r.mem.Peak() <= maxIdlePeak {
		// The counters of the run stay with it.
		s.db.idle.Give(r.Plan(), &operators{Statement: r.Statement}, n)
	}
}

// take gives operators for a run: those of the statement's last run if they are free, those
// of another's, or new ones.
func (st *Stmt) take(s *Session) (*operators, error) {
	if st.base != nil && st.base.plan == st.plan {
		return st.base.take(s)
	}
	if r := st.ready; r != nil {
		st.ready = nil
		if r.Plan() == st.plan {
			return r, nil
		}
	}
	if r, ok := s.db.idle.Take(st.plan); ok {
		return r, nil
	}
	run, err := exec.Prepare(st.plan)
	if err != nil {
		return nil, err
	}
	return &operators{Statement: run}, nil
}
