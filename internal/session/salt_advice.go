package session

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/saltadvice"
)

// SaltAdvice tells what the load of a table in the last quarter of an hour calls for.
func (f sessionFuncs) SaltAdvice(ctx context.Context, t *catalog.Table) ([]pgcatalog.SaltAdvice, error) {
	now := f.s.db.opts.Now()
	l, err := f.load(ctx, t, now.Add(-heat.KeepSamples))
	if err != nil || len(l.Samples) == 0 {
		return nil, err
	}
	e := saltadvice.Evidence{Load: *l, Until: now, Planner: f.s.plannerContext(f.s.snapshot(), nil, false)}
	found, err := e.Advise()
	if err != nil {
		return nil, err
	}
	var list []pgcatalog.SaltAdvice
	for _, a := range found {
		list = append(list, pgcatalog.SaltAdvice{Table: t, Rule: a.Rule, Number: a.Number, Since: a.Since, Evidence: a.Evidence, DDL: a.DDL, Gain: a.Gain, Copies: a.Copies})
	}
	return list, nil
}
