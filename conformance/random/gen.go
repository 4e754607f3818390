package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Gen makes statements from one seed.
type Gen struct {
	inArray bool // an element of an array is made
	r       *rand.Rand
	Table   *Table

	args     []arg // of the statement under construction
	prepared int
	pool     []Statement // prepared ones, to run again
	tx       txState
	alters   int
}

// New starts a generator with a table of its own.
func New(seed uint64) *Gen {
	g := &Gen{r: rand.New(rand.NewPCG(seed, 0x5a17))}
	g.Table = g.newTable()
	return g
}

func (g *Gen) pick(list []string) string { return list[g.r.IntN(len(list))] }

// one says yes once in n times.
func (g *Gen) one(n int) bool { return g.r.IntN(n) == 0 }

// Next makes statement number i: rows first, then mostly queries.
func (g *Gen) Next(i int) Statement {
	if i == 1 && g.one(3) || i > 5 && g.one(60) {
		return g.setting()
	}
	if i == 0 && g.one(3) {
		return Statement{Head: "SET timezone = " + g.pick([]string{"'Europe/Berlin'", "'America/New_York'", "'Asia/Kolkata'"})}
	}
	if i < 5 {
		return g.finish(g.insert())
	}
	if i == 5 && !g.checked() && g.one(4) {
		return g.finish(g.grow())
	}
	if s, ok := g.transaction(); ok {
		return s
	}
	if len(g.pool) > 0 && g.one(12) {
		return g.again()
	}
	s := g.finish(g.statement())
	if s.Name != "" {
		g.pool = append(g.pool, s)
	}
	if s.Query && g.one(4) {
		s.Page = uint32(1 + g.r.IntN(5))
	}
	return s
}

func (g *Gen) statement() Statement {
	switch {
	case g.one(12):
		return g.insert()
	case g.one(25):
		return g.upsert()
	case g.one(40):
		return g.onDuplicate()
	case g.one(300) && !g.tx.open:
		return Statement{Head: "TRUNCATE TABLE " + g.Table.Name, Forms: []string{"TRUNCATE"}}
	case g.one(300):
		return Statement{Head: "DELETE FROM " + g.Table.Name, Forms: []string{"DELETE of all rows"}}
	case g.one(14) && g.bulk():
		return g.update()
	case g.one(30):
		return g.updateKey()
	case g.one(30):
		return g.updateOne()
	case g.one(20):
		return g.delete()
	case g.one(30) && g.bulk():
		return g.insertSelect()
	case g.one(60) && !g.tx.open:
		return g.alter()
	case g.one(30):
		q := g.query()
		if g.one(3) {
			q = g.aggregate()
		}
		q.Head = g.form("EXPLAIN ANALYZE, rows counted") + q.Head
		q.Analyze, q.Count, q.Ordered = true, true, false
		return g.literals(q)
	case g.one(40):
		q := g.query()
		q.Head = g.pick([]string{"EXPLAIN ", "EXPLAIN (ANALYZE, VERBOSE) ", "EXPLAIN (FORMAT JSON) "}) + q.Head
		q.Ours, q.Query = true, false
		return q
	case g.one(3):
		return g.hinted(g.aggregate())
	}
	return g.hinted(g.query())
}

var hints = []string{"SKIP_SCAN", "SKIP_SCAN", "RANGE_SCAN", "SERIAL", "FORWARD_SCAN", "SMALL NO_INDEX"}

// hinted adds a hint now and then, which is a comment to Postgres.
func (g *Gen) hinted(s Statement) Statement {
	if before, after, ok := strings.Cut(s.Head, "SELECT "); ok && g.one(10) {
		s.Head = before + "SELECT /*+ " + g.pick(hints) + " */ " + g.form("a hint") + after
	}
	return s
}

// setting changes what no answer depends on. Postgres takes names with a dot
// for those of an extension.
func (g *Gen) setting() Statement {
	return Statement{Forms: []string{"a setting"}, Head: g.pick([]string{
		"SET saltsql.max_streams = 1", "SET saltsql.max_streams = 2", "SET saltsql.max_streams = 7", "SET saltsql.max_streams = 0",
		"SET work_mem = '64kB'", "SET work_mem = '64kB'", "SET work_mem = '128kB'", "SET work_mem = DEFAULT",
		"SET saltsql.full_scan = 'notice'", "SET saltsql.full_scan = 'on'", "SET LOCAL saltsql.max_streams = 3",
		"SET saltsql.hints = 'SKIP_SCAN'", "SET saltsql.hints = 'RANGE_SCAN'", "SET saltsql.hints = 'SERIAL, FORWARD_SCAN'", "SET saltsql.hints = ''",
	})}
}

// bulk says that a statement may write several rows.
func (g *Gen) bulk() bool { return !g.checked() || g.Table.Bulk }

// checked says that the table has CHECK constraints.
func (g *Gen) checked() bool { return len(g.Table.Checks) > 0 || g.alters > 0 }

// again runs a prepared statement with other values.
func (g *Gen) again() Statement {
	s := g.pool[g.r.IntN(len(g.pool))]
	var fresh [][]*string
	for range 1 + g.r.IntN(3) {
		var set []*string
		for i := range s.OIDs {
			set = append(set, s.Sets[g.r.IntN(len(s.Sets))][i])
		}
		fresh = append(fresh, set)
	}
	s.Sets = fresh
	return s
}

// alter changes the table's columns.
func (g *Gen) alter() Statement {
	t := g.Table
	g.prepared++
	if len(t.Others) > 1 && g.one(3) {
		i := g.r.IntN(len(t.Others))
		name := t.Others[i].Name
		t.Others = append(t.Others[:i:i], t.Others[i+1:]...)
		return Statement{Head: fmt.Sprintf("ALTER TABLE %s DROP COLUMN %s", t.Name, name)}
	}
	if g.one(4) {
		g.alters++
		return Statement{Head: fmt.Sprintf("ALTER TABLE %s ADD CONSTRAINT added%d CHECK (%s)", t.Name, g.alters, g.check())}
	}
	if g.one(6) && g.alters > 0 {
		return Statement{Head: fmt.Sprintf("ALTER TABLE %s DROP CONSTRAINT IF EXISTS added%d", t.Name, g.alters)}
	}
	if g.one(3) && !g.checked() { // not of a column in a constraint
		c := &t.Others[g.r.IntN(len(t.Others))]
		old := c.Name
		c.Name = fmt.Sprintf("n%d", g.prepared)
		return Statement{Head: fmt.Sprintf("ALTER TABLE %s RENAME COLUMN %s TO %s", t.Name, old, c.Name)}
	}
	c := g.newColumn(fmt.Sprintf("a%d", g.prepared))
	for c.typ.pg != "" { // the statement is the same for all
		c.typ = g.keyType()
	}
	c.NotNull, c.Default = false, ""
	t.Others = append(t.Others, c)
	return Statement{Head: fmt.Sprintf("ALTER TABLE %s ADD COLUMN %s %s", t.Name, c.Name, c.typ.decl)}
}
