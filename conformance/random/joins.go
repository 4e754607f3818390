package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Joins makes random queries over several small tables: joins of every kind, nested and
// correlated queries, groups, set operations, WITH. Their answers are sets of rows: nothing
// in them depends on an order that the query does not ask for.
type Joins struct {
	r     *rand.Rand
	depth int
	names int
}

// NewJoins starts a generator.
func NewJoins(seed uint64) *Joins { return &Joins{r: rand.New(rand.NewPCG(seed, 77))} }

// joinTable is a table of the generator.
type joinTable struct {
	name string
	ddl  string // without table options
	key  []string
	ints []string // columns of whole numbers
	text string
}

var joinTables = []joinTable{
	{"ja", "k int4 PRIMARY KEY, x int4, y int4, s text", []string{"k"}, []string{"k", "x", "y"}, "s"},
	{"jb", "p int4, q int4, x int4, s text, PRIMARY KEY (p, q)", []string{"p", "q"}, []string{"p", "q", "x"}, "s"},
	{"jc", "k int8 PRIMARY KEY, x int4, z int4", []string{"k"}, []string{"k", "x", "z"}, ""},
	{"jd", "s text, h int4, x int4, PRIMARY KEY (s, h)", []string{"s", "h"}, []string{"h", "x"}, "s"},
}

// JoinNames are the tables' names.
func JoinNames() []string { return []string{"ja", "jb", "jc", "jd"} }

// JoinIndexes draws indexes for the tables. No answer depends on them.
func JoinIndexes(r *rand.Rand) []string {
	var list []string
	for _, def := range []string{
		"ja (x)", "ja (y DESC, x) INCLUDE (s)", "ja (s)", "jb (x)", "jb (s, q)", "jb (q, x)", "jc (x) WHERE z > 2", "jc (z)",
		"jc (x) INCLUDE (z) WHERE x IS NOT NULL", "jd (x) INCLUDE (h)", "jd (h, x)",
	} {
		if r.IntN(2) > 0 {
			continue
		}
		salt := ""
		if r.IntN(3) == 0 {
			salt = fmt.Sprintf(" SALT_BUCKETS = %d", 1+r.IntN(5))
		}
		def, where, partial := strings.Cut(def, " WHERE ")
		if partial {
			where = " WHERE " + where
		}
		list = append(list, fmt.Sprintf("CREATE INDEX j_i%d ON %s%s%s", len(list), def, where, salt))
	}
	return list
}

// Tables gives the statements that make and fill the tables; options follow each table's
// definition.
func (g *Joins) Tables(options func(i int) string) (ddl, plain, rows []string) {
	for i, t := range joinTables {
		ddl = append(ddl, fmt.Sprintf("CREATE TABLE %s (%s) %s", t.name, t.ddl, options(i)))
		plain = append(plain, fmt.Sprintf("CREATE TABLE %s (%s)", t.name, t.ddl))
	}
	val := func(n int) string {
		if g.r.IntN(6) == 0 {
			return "NULL"
		}
		return fmt.Sprint(g.r.IntN(n))
	}
	text := func() string {
		if g.r.IntN(6) == 0 {
			return "NULL"
		}
		return fmt.Sprintf("'%c'", 'a'+g.r.IntN(4))
	}
	add := func(table string, n int, row func(i int) string) {
		var vals []string
		for i := range n {
			vals = append(vals, "("+row(i)+")")
		}
		if len(vals) > 0 {
			rows = append(rows, "INSERT INTO "+table+" VALUES "+strings.Join(vals, ", "))
		}
	}
	add("ja", g.r.IntN(14), func(i int) string { return fmt.Sprintf("%d, %s, %s, %s", i, val(6), val(4), text()) })
	add("jb", g.r.IntN(18), func(i int) string { return fmt.Sprintf("%d, %d, %s, %s", i/4, i%4, val(6), text()) })
	add("jc", g.r.IntN(10), func(i int) string { return fmt.Sprintf("%d, %s, %s", i*2, val(6), val(5)) })
	add("jd", g.r.IntN(12), func(i int) string { return fmt.Sprintf("'%c', %d, %s", 'a'+i%4, i/4, val(6)) })
	return ddl, plain, rows
}

// from is a relation in scope.
type from struct {
	name string
	ints []string
	text string
}

func (g *Joins) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

// Query makes a query.
func (g *Joins) Query() string {
	g.names, g.depth = 0, 0
	switch g.r.IntN(12) {
	case 0:
		op := []string{"UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL"}[g.r.IntN(6)]
		return g.oneColumn(nil, false) + " " + op + " " + g.oneColumn(nil, false)
	case 1:
		name := g.name("w")
		body, out := g.query(nil)
		ref := from{name: name, ints: out}
		refs := []from{ref}
		text := name
		if g.r.IntN(2) == 0 {
			other := g.name("v")
			text += fmt.Sprintf(" JOIN %s %s ON %s = %s", name, other, g.intCol([]from{ref}), other+"."+out[g.r.IntN(len(out))])
			refs = append(refs, from{name: other, ints: out})
		}
		return fmt.Sprintf("WITH %s(%s) AS (%s) SELECT %s FROM %s WHERE %s", name, strings.Join(out, ", "), body, g.list(refs), text, g.cond(refs, nil))
	}
	q, _ := g.query(nil)
	return q
}

// query makes a SELECT of whole numbers; outer are relations around it.
func (g *Joins) query(outer []from) (text string, cols []string) {
	g.depth++
	defer func() { g.depth-- }()
	rels, clause := g.from(outer)
	where := ""
	if g.r.IntN(3) > 0 {
		where = " WHERE " + g.cond(rels, outer)
	}
	switch g.r.IntN(5) {
	case 0: // groups
		a, b := g.intCol(rels), g.intCol(rels)
		having := ""
		if g.r.IntN(3) == 0 {
			having = fmt.Sprintf(" HAVING count(*) > %d", g.r.IntN(3))
		}
		return fmt.Sprintf("SELECT %s AS c1, count(*) AS c2, %s(%s) AS c3 FROM %s%s GROUP BY %s%s", a, g.agg(), b, clause, where, a, having), []string{"c1", "c2", "c3"}
	case 1: // DISTINCT
		return fmt.Sprintf("SELECT DISTINCT %s AS c1, %s AS c2 FROM %s%s", g.intCol(rels), g.intCol(rels), clause, where), []string{"c1", "c2"}
	}
	n := 1 + g.r.IntN(3)
	var list []string
	for i := range n {
		c := fmt.Sprintf("c%d", i+1)
		list, cols = append(list, g.value(rels, outer)+" AS "+c), append(cols, c)
	}
	return fmt.Sprintf("SELECT %s FROM %s%s", strings.Join(list, ", "), clause, where), cols
}

func (g *Joins) agg() string { return []string{"min", "max", "sum", "count"}[g.r.IntN(4)] }

func (g *Joins) list(rels []from) string {
	var out []string
	for range 1 + g.r.IntN(3) {
		out = append(out, g.intCol(rels))
	}
	return strings.Join(out, ", ")
}

// from makes a FROM clause.
func (g *Joins) from(outer []from) ([]from, string) {
	rels, text := g.relation(outer, nil)
	n := g.r.IntN(4)
	if g.depth > 1 {
		n = g.r.IntN(2)
	}
	for range n {
		kind := []string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "JOIN", "LEFT JOIN", ","}[g.r.IntN(8)]
		lateral := rels
		if kind == "RIGHT JOIN" || kind == "FULL JOIN" {
			lateral = nil
		}
		more, right := g.relation(outer, lateral)
		both := append(append([]from{}, rels...), more...)
		switch kind {
		case "CROSS JOIN":
			text = fmt.Sprintf("%s CROSS JOIN %s", text, right)
		case ",":
			text = fmt.Sprintf("%s CROSS JOIN %s", text, right)
		case "FULL JOIN":
			text = fmt.Sprintf("%s FULL JOIN %s ON %s = %s", text, right, g.intCol(rels), g.intCol(more))
		default:
			text = fmt.Sprintf("%s %s %s ON %s", text, kind, right, g.on(rels, more, both))
		}
		rels = both
	}
	return rels, text
}

func (g *Joins) on(left, right, both []from) string {
	on := fmt.Sprintf("%s = %s", g.intCol(left), g.intCol(right))
	switch g.r.IntN(6) {
	case 0:
		on = fmt.Sprintf("%s < %s", g.intCol(left), g.intCol(right))
	case 1:
		on += " AND " + g.simple(both)
	case 2:
		on += fmt.Sprintf(" AND %s = %s", g.intCol(left), g.intCol(right))
	case 3:
		on += fmt.Sprintf(" OR %s = %s", g.intCol(left), g.intCol(right))
	}
	return on
}

// relation makes one item of FROM; lateral are those to its left.
func (g *Joins) relation(outer, lateral []from) ([]from, string) {
	if g.depth < 3 && g.r.IntN(6) == 0 {
		name := g.name("d")
		if len(lateral) > 0 && g.r.IntN(2) == 0 {
			body, cols := g.query(append(append([]from{}, outer...), lateral...))
			return []from{{name: name, ints: cols}}, fmt.Sprintf("LATERAL (%s) %s", body, name)
		}
		body, cols := g.query(outer)
		return []from{{name: name, ints: cols}}, fmt.Sprintf("(%s) %s", body, name)
	}
	t := joinTables[g.r.IntN(len(joinTables))]
	name := g.name("t")
	return []from{{name: name, ints: t.ints, text: t.text}}, t.name + " " + name
}

func (g *Joins) intCol(rels []from) string {
	f := rels[g.r.IntN(len(rels))]
	return f.name + "." + f.ints[g.r.IntN(len(f.ints))]
}

// anyCol is a column of rels or, sometimes, of what is around.
func (g *Joins) anyCol(rels, outer []from) string {
	if len(outer) > 0 && g.r.IntN(3) == 0 {
		return g.intCol(outer)
	}
	return g.intCol(rels)
}

func (g *Joins) value(rels, outer []from) string {
	all := append(append([]from{}, outer...), rels...)
	switch k := g.r.IntN(14); {
	case k == 0:
		return fmt.Sprintf("%s + %d", g.anyCol(rels, outer), g.r.IntN(3))
	case k == 1:
		return fmt.Sprintf("coalesce(%s, %s)", g.anyCol(rels, outer), g.intCol(rels))
	case k == 2 && g.depth < 3:
		return g.scalar(all)
	case k == 3 && g.depth < 3:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.cond(rels, outer), g.intCol(rels), g.scalar(all))
	case k == 4 && g.depth < 3:
		return fmt.Sprintf("(%s)::int", g.test(rels, outer))
	}
	return g.anyCol(rels, outer)
}

// scalar is a query of one value.
func (g *Joins) scalar(outer []from) string {
	g.depth++
	defer func() { g.depth-- }()
	rels, clause := g.from(outer)
	switch g.r.IntN(3) {
	case 0:
		return fmt.Sprintf("(SELECT %s(%s) FROM %s WHERE %s)", g.agg(), g.intCol(rels), clause, g.cond(rels, outer))
	case 1:
		return fmt.Sprintf("(SELECT count(*) FROM %s WHERE %s)", clause, g.cond(rels, outer))
	}
	t := joinTables[g.r.IntN(len(joinTables))]
	name := g.name("t")
	f := []from{{name: name, ints: t.ints}}
	var keys []string
	for _, k := range t.key {
		keys = append(keys, name+"."+k)
	}
	c := g.intCol(f)
	return fmt.Sprintf("(SELECT %s FROM %s %s WHERE %s ORDER BY %s NULLS FIRST, %s LIMIT 1)", c, t.name, name, g.cond(f, outer), c, strings.Join(keys, ", "))
}

// oneColumn is a query of one column.
func (g *Joins) oneColumn(outer []from, where bool) string {
	g.depth++
	defer func() { g.depth-- }()
	rels, clause := g.from(outer)
	if where || g.r.IntN(2) == 0 {
		clause += " WHERE " + g.cond(rels, outer)
	}
	return fmt.Sprintf("SELECT %s FROM %s", g.anyCol(rels, outer), clause)
}

// cond is a condition over rels.
func (g *Joins) cond(rels, outer []from) string {
	switch k := g.r.IntN(10); {
	case k == 0:
		return g.simple(rels) + " AND " + g.test(rels, outer)
	case k == 1:
		return "(" + g.simple(rels) + " OR " + g.test(rels, outer) + ")"
	case k == 2:
		return "NOT (" + g.test(rels, outer) + ")"
	case k <= 5 && len(outer) > 0:
		return fmt.Sprintf("%s = %s", g.intCol(rels), g.intCol(outer))
	case k == 6 && len(outer) > 0:
		return fmt.Sprintf("%s < %s AND %s", g.intCol(rels), g.intCol(outer), g.simple(rels))
	}
	return g.test(rels, outer)
}

func (g *Joins) simple(rels []from) string {
	c := g.intCol(rels)
	switch g.r.IntN(7) {
	case 0:
		return c + " IS NULL"
	case 1:
		return c + " IS NOT NULL"
	case 2:
		return fmt.Sprintf("%s IN (%d, %d)", c, g.r.IntN(6), g.r.IntN(6))
	case 3:
		return fmt.Sprintf("%s = %s", c, g.intCol(rels))
	case 4:
		return fmt.Sprintf("coalesce(%s, 2) > %d", c, g.r.IntN(5))
	case 5:
		return fmt.Sprintf("%s > %d", c, g.r.IntN(6))
	}
	return fmt.Sprintf("%s = %d", c, g.r.IntN(6))
}

// test is a condition, with a query where there is still room.
func (g *Joins) test(rels, outer []from) string {
	if g.depth >= 3 {
		return g.simple(rels)
	}
	all := append(append([]from{}, outer...), rels...)
	c := g.anyCol(rels, outer)
	switch g.r.IntN(9) {
	case 0:
		return "EXISTS (" + g.oneColumn(all, true) + ")"
	case 1:
		return "NOT EXISTS (" + g.oneColumn(all, true) + ")"
	case 2:
		return c + " IN (" + g.oneColumn(all, false) + ")"
	case 3:
		return c + " NOT IN (" + g.oneColumn(all, false) + ")"
	case 4:
		op := []string{"=", "<", ">=", "<>"}[g.r.IntN(4)]
		return fmt.Sprintf("%s %s %s (%s)", c, op, []string{"ANY", "ALL"}[g.r.IntN(2)], g.oneColumn(all, false))
	case 5:
		return fmt.Sprintf("%s %s %s", c, []string{"=", "<", ">"}[g.r.IntN(3)], g.scalar(all))
	}
	return g.simple(rels)
}
