package saltsql

import (
	"sync/atomic"

	"github.com/saltsql/saltsql/exec"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
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
func (st *Stmt) held() int64 { return stmtBytes + 4*int64(len(st.Text())) }

// keepStmt names a statement.
func (s *Session) keepStmt(name string, st *Stmt) error {
	if name != "" {
		if err := s.held.Need(st.held()); err != nil {
			return err
		}
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
	st.drop(s)
	if name != "" {
		_ = s.held.Need(-st.held()) // less cannot fail
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

// writeCopies is how often the bytes of a transaction's writes are in memory until they
// are committed: in the transaction, in the batch that is committed and in the store.
const writeCopies = 3

// bookWrites makes n bytes what the session's transaction holds of writes.
func (s *Session) bookWrites(n int64) error {
	return s.writes.MustToOf(&s.held, writeCopies*n)
}

// hold counts a portal that stays open: what it was bound to, and, once it has given
// rows and may give more, what its scans keep for the next ones.
func (p *Portal) hold(b *vec.Batch) error {
	n := int64(boundBytes)
	for i := range p.q.params {
		n += types.DatumSize + p.q.params[i].Behind()
	}
	if b != nil {
		n += portalBytes
		for _, v := range b.Cols {
			n += v.Size()
			if v.Type.Phys() == types.PhysBytes && v.Own() == 0 {
				for i := range b.Rows() {
					n += 2 * int64(len(v.Bytes[b.Row(i)])) // in the store's pages
				}
			}
		}
	}
	if n <= p.held.Bytes() {
		return nil
	}
	return p.held.MustToOf(&p.s.held, n)
}

// idle counts the operators that sessions keep for the next run of a statement, where
// they are not small.
type idle struct {
	limit int64
	bytes atomic.Int64
}

func newIdle(pool *memory.Pool) *idle { return &idle{limit: pool.Limit() / 8} }

func (i *idle) take(n int64) bool {
	if total := i.bytes.Add(n); n > 0 && i.limit > 0 && total > i.limit {
		i.bytes.Add(-n)
		return false
	}
	return true
}

// idleBytes is about what operators hold after a run; 0 if that is little.
func (r *operators) idleBytes() int64 {
	rows := r.cx.Work.RowsRead + r.cx.Work.RowsWritten
	if rows <= smallRun && r.mem.Peak() <= portalBytes {
		return 0
	}
	const column = 40 // of a row, with the batches below
	cols := len(r.Plan().Columns) + 4
	return portalBytes + int64(cols)*column*min(max(rows, smallRun), 2*vec.MaxRows)
}

// maxIdlePeak is how much a run may have held of texts, groups and sorts for its
// operators to be kept.
const maxIdlePeak = 1 << 20

// give takes operators back for the statement's next run. Of those that are not small
// a session keeps one statement's, and all together as many as idle allows.
func (st *Stmt) give(s *Session, r *operators) {
	if st.base != nil {
		st = st.base
	}
	n := r.idleBytes()
	if n > 0 {
		if s.large != st {
			if s.large != nil {
				s.large.drop(s)
			}
			s.large = st
		}
		if r.mem.Peak() > maxIdlePeak || !s.db.idle.take(n) {
			s.large = nil
			return
		}
	}
	st.ready, st.idle = r, n
}

// drop lets go of the statement's operators.
func (st *Stmt) drop(s *Session) {
	st.ready = nil
	if st.idle > 0 {
		s.db.idle.take(-st.idle)
		st.idle = 0
	}
	if s.large == st {
		s.large = nil
	}
}

// take gives the statement's operators: those of the last run if they are
// free, else new ones.
func (st *Stmt) take(s *Session) (*operators, error) {
	if st.base != nil && st.base.plan == st.plan {
		return st.base.take(s)
	}
	if r := st.ready; r != nil {
		if st.idle > 0 {
			st.drop(s)
		}
		st.ready = nil
		if r.Plan() == st.plan {
			return r, nil
		}
	}
	run, err := exec.Prepare(st.plan)
	if err != nil {
		return nil, err
	}
	return &operators{Statement: run}, nil
}
