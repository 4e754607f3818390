package session

import (
	"strings"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/indexadvice"
	"github.com/saltsql/saltsql/internal/statements"
	"github.com/saltsql/saltsql/planner"
)

// IndexAdvice names the indexes that would have spared the statements of users that the reader
// may see most rows. Each is planned as it was written, under the search path of its first run,
// by what the catalog is now and what this session may look at.
func (f sessionFuncs) IndexAdvice(sees func(user string) bool) []pgcatalog.IndexAdvice {
	count := f.s.db.statements
	if count == nil {
		return nil
	}
	var seen []indexadvice.Statement
	for _, e := range count.Entries() {
		c := e.Counters()
		if e.Shape == "" || c.RowsRead == 0 || e.Database != f.s.opts.Database || !sees(e.User) {
			continue
		}
		seen = append(seen, indexadvice.Statement{
			Text: e.Shape, Calls: c.Calls + c.Errors, RowsRead: c.RowsRead, Plan: func() *indexadvice.Planned { return f.s.planSeen(e) },
		})
	}
	writes := map[uint32]int64{}
	snap := f.s.snapshot()
	count.Totals(func(table uint32) bool { return snap.TableByID(table) != nil }).Tables(func(table uint32, n statements.TableCount) {
		writes[table] = n.Writes
	})
	var list []pgcatalog.IndexAdvice
	for _, x := range indexadvice.Advise(seen) {
		list = append(list, pgcatalog.IndexAdvice{
			Table: x.Table, Definition: strings.TrimSuffix(x.DDL(true), ";"), Statements: x.Statements, Calls: x.Calls, RowsRead: x.RowsRead,
			RowsSpared: x.Spared, Writes: writes[x.Table.ID], Query: x.Example,
		})
	}
	return list
}

// planSeen plans a shape; nil where that cannot be: a table is gone, or nothing says of what type
// a parameter is.
func (s *Session) planSeen(e *statements.Entry) *indexadvice.Planned {
	list, err := dialect.Parse(dialect.Askable(e.Shape))
	if err != nil || len(list) != 1 || list[0].Utility != nil {
		return nil
	}
	pc := s.plannerContext(s.snapshot(), nil, false)
	pc.SearchPath, pc.Hints, pc.Notice = s.who.Usable(e.Path), 0, nil
	p, err := planner.Plan(pc, list[0])
	if err != nil {
		return nil
	}
	s.db.sizes.Measure(s.ctx, p.Tables)
	if p, err = planner.Plan(pc, list[0]); err != nil {
		return nil
	}
	return &indexadvice.Planned{Context: pc, Stmt: list[0], Plan: p}
}
