package session

import (
	"context"

	"github.com/saltsql/saltsql/internal/plancache"
	"github.com/saltsql/saltsql/planner"
)

// maxShaped bounds a session's statements of known shapes.
const maxShaped = 64

// shaped gives the statement that text is, if its shape was seen before; nil where it must
// be parsed.
func (db *DB) shaped(text string) *Parsed {
	sh, ok := db.plans.Shaped(text)
	if !ok {
		return nil
	}
	return &Parsed{st: sh.Statement, text: text, shape: sh.Shape, values: sh.Values, types: sh.Types}
}

// prepareShaped gives the statement of a text whose shape is known; nil where the
// text itself must be planned.
func (s *Session) prepareShaped(ctx context.Context, p *Parsed) *Stmt {
	if s.tx.status == TxFailed {
		return nil
	}
	base := s.shaped[p.shape]
	if base == nil || !s.planCurrent(base) {
		base = &Stmt{st: p.st, hints: p.types}
		if err := s.planStmt(ctx, base); err != nil {
			return nil
		}
		if !planner.ValueFree(s.plannerContext(s.snapshot(), p.types, false), base.plan) {
			// Its plan would be another than the text's own.
			db, cached, version := s.db, base.cached, base.key.Catalog
			p.shape.RefuseWhile(func() bool { return db.catalog.Snapshot().Version() == version && cached.current(db.sizes) })
			return nil
		}
		if s.shaped == nil || len(s.shaped) >= maxShaped {
			s.shaped = map[*plancache.Shape]*Stmt{}
		}
		s.shaped[p.shape] = base
	}
	return &Stmt{
		st: base.st, hints: base.hints, params: base.params, cols: base.cols, plan: base.plan, key: base.key, cached: base.cached, settings: base.settings,
		base: base, values: p.values, text: p.text,
	}
}
