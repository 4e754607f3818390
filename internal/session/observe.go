package session

import (
	"log/slog"
	"time"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/statements"
	"github.com/saltsql/saltsql/internal/statements/peers"
	"github.com/saltsql/saltsql/planner/plan"
)

// What statements have done, for pg_stat_statements, the metrics and the slow log. Where none of
// them is wanted, nothing is done here.

// Statements gives the counters of statements; nil where nothing is counted.
func (db *DB) Statements() *statements.Collector { return db.statements }

// teller tells the other servers of the store of this one's statements.
func (db *DB) teller() *peers.Teller {
	return &peers.Teller{Statements: db.statements, Every: db.opts.lease(), Logger: db.opts.Logger, Joins: db.catalog.Joins, Put: db.catalog.PutShapes}
}

// observe notes that a portal's statement has ended: err is nil, why it failed, or errClosed
// where the client wanted no more rows.
func (s *Session) observe(p *Portal, err error) {
	waited := s.waits.Take()
	l := s.cached()
	slowest, count := l.LogMinDuration, s.db.statements != nil && !l.Uncounted
	if !count && slowest < 0 {
		return
	}
	st := p.stmt
	if st.base != nil {
		st = st.base
	}
	switch st.st.Utility.(type) {
	case *tree.Execute, *tree.Prepare, *tree.Deallocate: // as in PostgreSQL: what is executed is counted
		return
	}
	r := statements.Run{Time: p.ran, Rows: p.given, Given: p.given, Class: statements.Succeeded}
	if q := p.planned(); q != nil {
		r.Work = q.work()
		if !q.st.plan.ReadOnly {
			r.Rows = q.rows
		}
	}
	if err != nil && err != errClosed {
		code := sqlerr.CodeOf(err).String()
		r.Class = [2]byte{code[0], code[1]}
	}
	if count {
		for u := s.counted(st); !u.Add(&r); u = s.counted(st) {
			st.use = nil
			delete(s.uses, st.st)
		}
	}
	if slowest >= 0 && r.Time >= slowest {
		s.logSlow(st, &r, waited)
	}
}

// planned is the query that the portal runs; nil where it does something else.
func (p *Portal) planned() *query {
	switch run := p.run.(type) {
	case *query:
		return run
	case *CopyIn:
		return run.q
	case *copyOut:
		return run.query
	}
	return nil
}

// countedStmt is where the runs of a statement are counted that is about plan's tables.
type countedStmt struct {
	use  *statements.Use
	plan *plan.Plan
}

// maxUses is how many texts a session remembers where to count.
const maxUses = 64

// counted finds where the runs of st are counted. Who sends texts prepares them anew for each run;
// the parsed text is the same where it was seen before.
func (s *Session) counted(st *Stmt) *statements.Use {
	if st.use != nil && st.usePlan == st.plan {
		return st.use
	}
	c, ok := s.uses[st.st]
	if !ok || c.plan != st.plan {
		shape, id := dialect.Normalize(st.st.Text)
		kind, writes := statements.KindOf(st.st.Text), false
		var tables []uint32
		if st.plan != nil {
			kind, writes = statements.KindOf(st.plan.Tag), !st.plan.ReadOnly
			for _, t := range st.plan.Tables {
				tables = append(tables, t.ID)
			}
		}
		key := statements.Key{User: s.opts.User, Database: s.opts.Database, ID: id}
		c = countedStmt{s.db.statements.Use(key, shape, s.searchPath(), kind, tables, writes), st.plan}
		if s.uses == nil || len(s.uses) >= maxUses {
			s.uses = map[*tree.Statement]countedStmt{}
		}
		s.uses[st.st] = c
	}
	st.use, st.usePlan = c.use, st.plan
	return c.use
}

// logSlow writes the slow log's line of a run.
func (s *Session) logSlow(st *Stmt, r *statements.Run, waited time.Duration) {
	s.db.slow.Log(func() []slog.Attr {
		shape, id := dialect.Normalize(st.st.Text)
		attrs := []slog.Attr{
			slog.Float64("duration_ms", milliseconds(r.Time)), slog.Float64("waited_ms", milliseconds(waited)), slog.String("statement", shape), slog.Int64("query_id", id),
			slog.String("user", s.opts.User), slog.String("database", s.opts.Database), slog.Int64("pid", int64(s.opts.BackendPID)),
			slog.Int64("rows", r.Rows), slog.Int64("rows_read", r.RowsRead), slog.Int64("rows_written", r.Written),
			slog.Int64("buckets", r.Buckets), slog.Int64("storage_calls", r.Calls), slog.Int64("bytes_read", r.Bytes),
			slog.Int64("spill_bytes", r.SpillBytes), slog.String("sqlstate_class", string(r.Class[:])),
		}
		if st.plan != nil {
			attrs = append(attrs, slog.String("plan", st.plan.Hash()))
		}
		return attrs
	})
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// SlowLogDropped is how many lines the slow log has left out.
func (db *DB) SlowLogDropped() int64 { return db.slow.Dropped() }

// CatalogCounts gives how many tables there are, and how many changes of them wait to begin, and
// are at work, on all servers.
func (db *DB) CatalogCounts() (tables, planned, copying int) { return db.catalog.Snapshot().Counts() }
