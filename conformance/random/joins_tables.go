package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// joinTable is a table of the generator.
type joinTable struct {
	name  string
	ddl   string // without table options
	plain string // behind PostgreSQL's definition, which changes nothing
	key   []string
	ints  []string // columns of numbers
	texts []string
	bools []string
	dates []string
}

var joinTables = []joinTable{
	{name: "ja", ddl: "k int4 PRIMARY KEY, x int4, y int4, s text", key: []string{"k"}, ints: []string{"k", "x", "y"}, texts: []string{"s"}},
	{name: "jb", ddl: "p int4, q int4, x int4, s text, PRIMARY KEY (p, q)", key: []string{"p", "q"}, ints: []string{"p", "q", "x"}, texts: []string{"s"}},
	{name: "jc", ddl: "k int8 PRIMARY KEY, x int4, z int4", key: []string{"k"}, ints: []string{"k", "x", "z"}},
	{name: "jd", ddl: "s text, h int4, x int4, PRIMARY KEY (s, h)", key: []string{"s", "h"}, ints: []string{"h", "x"}, texts: []string{"s"}},
	{name: "je", ddl: "n numeric(4,0), v int2, x int4, f float8, b bool, d date, PRIMARY KEY (n, v)", key: []string{"n", "v"},
		ints: []string{"x", "n", "v", "f"}, bools: []string{"b"}, dates: []string{"d"}},
}

// joinViews are read as the tables are; the first may be written.
var joinViews = []joinTable{
	{name: "jv1", ddl: "SELECT k, x, y, s FROM ja WHERE x IS NOT NULL OR y > 1", key: []string{"k"}, ints: []string{"k", "x", "y"}, texts: []string{"s"}},
	{name: "jv2", ddl: "SELECT b.p, b.q, c.z, b.x, b.s FROM jb b LEFT JOIN jc c ON c.x = b.x", ints: []string{"p", "q", "z", "x"}, texts: []string{"s"}},
	{name: "jv3", ddl: "SELECT x, count(*) AS n, max(h) AS m, min(s) AS s FROM jd GROUP BY x", key: []string{"x"}, ints: []string{"x", "n", "m"}, texts: []string{"s"}},
	{name: "jv4", ddl: "SELECT k, x FROM ja UNION SELECT n, v FROM je", key: []string{"k", "x"}, ints: []string{"k", "x"}},
	{name: "jv5", ddl: "SELECT p, q, x, rank() OVER (PARTITION BY p ORDER BY x) AS r FROM jb", key: []string{"p", "q"}, ints: []string{"p", "q", "x", "r"},
		// 15.18 keeps what is above a window, a sort or a hash, from one outer row to the next, though
		// the window stops at a comparison with an outer column ("Run Condition").
		plain: " OFFSET 0"},
	{name: "jv6", ddl: "SELECT n, v, f, EXISTS (SELECT 1 FROM jd WHERE jd.x = je.x) AS b, d FROM je WHERE x IN (SELECT x FROM jc) OR b", key: []string{"n", "v"},
		ints: []string{"n", "v", "f"}, bools: []string{"b"}, dates: []string{"d"}},
}

// JoinNames are the tables' names.
func JoinNames() []string { return []string{"ja", "jb", "jc", "jd", "je"} }

// JoinViews are the names of the views over the tables.
func JoinViews() []string { return []string{"jv1", "jv2", "jv3", "jv4", "jv5", "jv6"} }

// JoinIndexes draws indexes for the tables. No answer depends on them.
func JoinIndexes(r *rand.Rand) []string {
	var list []string
	for _, def := range []string{
		"ja (x)", "ja (y DESC, x) INCLUDE (s)", "ja (s)", "jb (x)", "jb (s, q)", "jb (q, x)", "jc (x) WHERE z > 2", "jc (z)",
		"jc (x) INCLUDE (z) WHERE x IS NOT NULL", "jd (x) INCLUDE (h)", "jd (h, x)", "je (x)", "je (f DESC, n)", "je (b, d) INCLUDE (x)", "je (d) WHERE b", "je ((x + 1))",
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

// Tables gives the statements that make and fill the tables; options, of the first column of its
// key, follow each table's definition. In some seeds the texts are so long that little memory
// does not hold them; in some many joins are by keys.
func (g *Joins) Tables(options func(key string) string) (ddl, plain, rows []string) {
	g.keyed = g.one(2)
	for _, t := range joinTables {
		ddl = append(ddl, fmt.Sprintf("CREATE TABLE %s (%s) %s", t.name, t.ddl, options(t.key[0])))
		plain = append(plain, fmt.Sprintf("CREATE TABLE %s (%s)", t.name, t.ddl))
	}
	for _, v := range joinViews {
		text := fmt.Sprintf("CREATE VIEW %s AS %s", v.name, v.ddl)
		if v.name == "jv1" && g.one(4) {
			text += " WITH CHECK OPTION"
		}
		ddl, plain = append(ddl, text), append(plain, text+v.plain)
	}
	if g.r.IntN(4) == 3 {
		g.wide = " || repeat('_', 3000)"
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
		return fmt.Sprintf("'%c'%s", 'a'+g.r.IntN(4), g.wide)
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
	least := 4 // rows of a table; in some seeds there may be none
	if g.r.IntN(8) == 7 {
		least = 0
	}
	add("ja", least+g.r.IntN(12), func(i int) string { return fmt.Sprintf("%d, %s, %s, %s", i, val(6), val(4), text()) })
	add("jb", least+g.r.IntN(16), func(i int) string { return fmt.Sprintf("%d, %d, %s, %s", i/4, i%4, val(6), text()) })
	add("jc", least+g.r.IntN(7), func(i int) string { return fmt.Sprintf("%d, %s, %s", i*2, val(6), val(5)) })
	add("jd", least+g.r.IntN(9), func(i int) string { return fmt.Sprintf("'%c', %d, %s", 'a'+i%4, i/4, val(6)) })
	add("je", least+g.r.IntN(10), func(i int) string {
		d := "NULL"
		if n := g.r.IntN(6); n > 0 {
			d = fmt.Sprintf("DATE '2024-02-26' + %d", n)
		}
		return fmt.Sprintf("%d, %d, %s, %s * 0.5, %s, %s", i/3, i%3, val(6), val(10), g.pick("true", "false", "NULL"), d)
	})
	return ddl, plain, rows
}
