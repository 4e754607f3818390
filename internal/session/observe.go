package session

import (
	"log/slog"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/statements"
)

// What statements have done, for pg_stat_statements, the metrics and the slow log. Where none of
// them is wanted, nothing is done here.

// Statements gives the counters of statements; nil where nothing is counted.
func (db *DB) Statements() *statements.Collector { return db.statements }

// observe notes that a portal's statement has ended: err is nil, why it failed, or errClosed
// where the client wanted no more rows.
func (s *Session) observe(p *Portal, err error) {
	slowest := s.cached().logMinDuration
	count := s.db.statements
	if count == nil && slowest < 0 {
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
	r := statements.Run{Time: p.ran, Rows: p.given, Given: p.given, Kind: st.kind(), Class: statements.Succeeded}
	if q := p.planned(); q != nil {
		r.Work = q.work
		if !q.st.plan.ReadOnly {
			r.Rows = q.rows
		}
	}
	if err != nil && err != errClosed {
		code := sqlerr.CodeOf(err).String()
		r.Class = [2]byte{code[0], code[1]}
	}
	if count != nil {
		if st.entry == nil || st.entry.Gone() {
			shape, id := dialect.Normalize(st.st.Text)
			st.entry = count.Entry(s.opts.User, s.opts.Database, shape, id, s.searchPath())
		}
		count.Add(st.entry, &r)
		if st.plan != nil {
			for _, t := range st.plan.Tables {
				count.Touch(t.ID, !st.plan.ReadOnly)
			}
		}
	}
	if slowest >= 0 && r.Time >= slowest {
		s.logSlow(st, &r)
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

// kind is what the statement counts as.
func (st *Stmt) kind() statements.Kind {
	if st.plan != nil {
		return statements.KindOf(st.plan.Tag)
	}
	return statements.KindOf(st.st.Text)
}

// logSlow writes the slow log's line of a run.
func (s *Session) logSlow(st *Stmt, r *statements.Run) {
	s.db.slow.Log(func() []slog.Attr {
		shape, id := dialect.Normalize(st.st.Text)
		attrs := []slog.Attr{
			slog.Duration("duration", r.Time), slog.String("statement", shape), slog.Int64("query_id", id),
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

// SlowLogDropped is how many lines the slow log has left out.
func (db *DB) SlowLogDropped() int64 { return db.slow.Dropped() }
