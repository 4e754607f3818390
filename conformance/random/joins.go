package random

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// Joins makes random queries over several small tables: joins of every kind, nested and
// correlated queries, groups and grouping sets, windows, set operations, WITH and WITH
// RECURSIVE. Their answers are sets of rows: nothing in them depends on an order that the
// query does not ask for, and none of them fails by a value.
type Joins struct {
	r     *draws
	depth int
	names int
	wide  string // what the texts of the rows end in
	few   bool   // conditions that few rows meet, as those that are negated
	keyed bool   // many joins are by keys
}

// NewJoins starts a generator.
func NewJoins(seed uint64) *Joins {
	return &Joins{r: &draws{r: rand.New(rand.NewPCG(seed, 77))}}
}

// from is a relation in scope: numbers, texts, and the columns that tell its rows
// apart, if they are known.
type from struct {
	name  string
	ints  []string
	texts []string
	bools []string
	dates []string
	keys  []string
	known bool   // keys are
	table string // of base tables
}

func (t *joinTable) as(name string) from {
	return from{name: name, ints: t.ints, texts: t.texts, bools: t.bools, dates: t.dates, keys: t.key, known: len(t.key) > 0, table: t.name}
}

func (g *Joins) name(prefix string) string {
	g.names++
	return fmt.Sprintf("%s%d", prefix, g.names)
}

func (g *Joins) pick(list ...string) string { return list[g.r.IntN(len(list))] }

// one is true once in n times, and not when numbers are small.
func (g *Joins) one(n int) bool { return g.r.IntN(n) == n-1 }

func both(a []from, b ...from) []from { return append(slices.Clone(a), b...) }

// identity are the columns that tell rows of a join of rels apart.
func identity(rels []from) (cols []string, known bool) {
	for _, f := range rels {
		if !f.known {
			return nil, false
		}
		for _, k := range f.keys {
			cols = append(cols, f.name+"."+k)
		}
	}
	return cols, true
}

// from makes a FROM clause.
func (g *Joins) from(outer []from) ([]from, string) {
	rels, text := g.relation(outer, nil)
	n := g.r.IntN(4)
	if g.depth > 1 {
		n = g.r.IntN(2)
	}
	for range n {
		rels, text = g.join(outer, rels, text)
	}
	return rels, text
}

// join joins one relation more.
func (g *Joins) join(outer, rels []from, text string) ([]from, string) {
	kind := g.pick("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "CROSS JOIN", "JOIN", "LEFT JOIN", "CROSS JOIN")
	lateral := rels
	if kind == "RIGHT JOIN" || kind == "FULL JOIN" {
		lateral = nil
	}
	more, right := g.relation(outer, lateral)
	all := both(rels, more...)
	switch kind {
	case "CROSS JOIN":
		text = fmt.Sprintf("%s CROSS JOIN %s", text, right)
	case "FULL JOIN":
		on := g.byKey(rels, more)
		if on == "" {
			on = fmt.Sprintf("%s = %s", g.intCol(rels), g.intCol(more))
		}
		text = fmt.Sprintf("%s FULL JOIN %s ON %s", text, right, on)
		if g.one(4) {
			text += " AND " + g.simple([][]from{rels, more}[g.r.IntN(2)])
		}
	default:
		text = fmt.Sprintf("%s %s %s ON %s", text, kind, right, g.on(rels, more, all, outer))
	}
	return all, text
}

// byKey equates the first columns of the keys of two tables, or more of them; "" where other
// columns are to be joined by.
func (g *Joins) byKey(left, right []from) string {
	if !g.keyed || len(left) == 0 || len(right) == 0 || g.one(3) {
		return ""
	}
	l, r := &left[g.r.IntN(len(left))], &right[g.r.IntN(len(right))]
	if !l.known || !r.known || (l.table == "jd") != (r.table == "jd") { // whose first is a text
		return ""
	}
	var on []string
	for i := range min(len(l.keys), len(r.keys)) {
		if on = append(on, fmt.Sprintf("%s.%s = %s.%s", l.name, l.keys[i], r.name, r.keys[i])); g.one(3) {
			break
		}
	}
	return strings.Join(on, " AND ")
}

func (g *Joins) on(left, right, all, outer []from) string {
	if on := g.byKey(left, right); on != "" {
		if g.one(3) {
			on += " AND " + g.simple(all)
		}
		return on
	}
	on := fmt.Sprintf("%s = %s", g.intCol(left), g.intCol(right))
	switch g.r.IntN(12) {
	case 11: // a key of one side that has a column from outside
		if len(outer) > 0 {
			on = fmt.Sprintf("%s = %s %s %s", g.intCol(left), g.intCol(right), g.pick("+", "-"), g.intCol(outer))
		}
	case 8:
		if l, r := g.dateCol(left), g.dateCol(right); l != "" && r != "" {
			on = l + " = " + r
		}
	case 9:
		on = fmt.Sprintf("%s BETWEEN %s AND %s + 1", g.intCol(left), g.intCol(right), g.intCol(right))
	case 10:
		on += " AND (" + g.simple(all) + " OR " + g.test(all, outer) + ")"
	case 1:
		on += " AND " + g.simple(all)
	case 2:
		on += fmt.Sprintf(" AND %s = %s", g.intCol(left), g.intCol(right))
	case 3:
		on += fmt.Sprintf(" OR %s = %s", g.intCol(left), g.intCol(right))
	case 4:
		on = fmt.Sprintf("%s < %s", g.intCol(left), g.intCol(right))
	case 5:
		on = fmt.Sprintf("(%s, %s) = (%s, %s)", g.intCol(left), g.intCol(left), g.intCol(right), g.intCol(right))
	case 6:
		on = g.test(all, outer)
	case 7:
		if l, r := g.textCol(left), g.textCol(right); l != "" && r != "" {
			on = l + " = " + r
		}
	}
	return on
}

// relation makes one item of FROM; lateral are those to its left.
func (g *Joins) relation(outer, lateral []from) ([]from, string) {
	k := g.r.IntN(30)
	if g.depth >= 3 && k >= 16 && k < 20 {
		k = 0
	}
	switch {
	case k == 24 || k == 25:
		v := &joinViews[g.r.IntN(len(joinViews))]
		name := g.name("t")
		return []from{v.as(name)}, v.name + " " + name
	case k == 26 && len(lateral) > 0:
		return g.fromNothing(outer, lateral)
	case k == 27:
		t := &joinTables[g.r.IntN(len(joinTables))]
		name := g.name("t")
		return []from{t.as(name)}, fmt.Sprintf("%s %s TABLESAMPLE %s", t.name, name, g.pick("BERNOULLI (100)", "SYSTEM (100) REPEATABLE (1)", "BERNOULLI (0)"))
	case k == 28:
		return g.records(lateral)
	case k >= 16 && k < 20:
		name := g.name("d")
		if len(lateral) > 0 && g.r.IntN(2) == 0 {
			body, out := g.query(both(outer, lateral...))
			out.name = name
			return []from{out}, fmt.Sprintf("LATERAL (%s) %s", body, name)
		}
		body, out := g.query(outer)
		out.name = name
		return []from{out}, fmt.Sprintf("(%s) %s", body, name)
	case k == 20:
		return g.listed()
	case k == 21:
		return g.function(lateral)
	case k == 22:
		return g.merged()
	case k == 23:
		a, left := g.relation(outer, lateral)
		b, right := g.relation(outer, nil)
		return both(a, b...), fmt.Sprintf("(%s %s %s ON %s = %s)", left, g.pick("JOIN", "LEFT JOIN", "FULL JOIN"), right, g.intCol(a), g.intCol(b))
	}
	t := &joinTables[k%len(joinTables)]
	name := g.name("t")
	text := t.name + " " + name
	return []from{t.as(name)}, text
}

// listed is a VALUES list.
func (g *Joins) listed() ([]from, string) {
	var rows []string
	for i := range 1 + g.r.IntN(4) {
		v := fmt.Sprint(g.r.IntN(6))
		if g.one(6) {
			v = "NULL::int"
		}
		rows = append(rows, fmt.Sprintf("(%d, %s, '%c')", i, v, 'a'+g.r.IntN(4)))
	}
	name := g.name("v")
	return []from{{name: name, ints: []string{"i", "j"}, texts: []string{"s"}, keys: []string{"i"}, known: true}},
		fmt.Sprintf("(VALUES %s) %s(i, j, s)", strings.Join(rows, ", "), name)
}

// function is a call that gives rows.
func (g *Joins) function(lateral []from) ([]from, string) {
	name := g.name("f")
	end := fmt.Sprint(1 + g.r.IntN(4))
	array := fmt.Sprintf("ARRAY[%d, NULL, %d]", g.r.IntN(6), g.r.IntN(6))
	if len(lateral) > 0 && g.r.IntN(2) == 0 {
		end = fmt.Sprintf("least(%s, 4)::int", g.intCol(lateral))
		array = fmt.Sprintf("ARRAY[%s, %s]", g.intCol(lateral), g.intCol(lateral))
	}
	two := from{name: name, ints: []string{"i", "o"}, keys: []string{"o"}, known: true}
	switch g.r.IntN(4) {
	case 1:
		return []from{two}, fmt.Sprintf("unnest(%s) WITH ORDINALITY %s(i, o)", array, name)
	case 2:
		two.ints = []string{"i", "j", "o"}
		return []from{two}, fmt.Sprintf("ROWS FROM (generate_series(1, %s), unnest(%s)) WITH ORDINALITY %s(i, j, o)", end, array, name)
	case 3:
		two.ints = []string{"i", "j", "o"}
		return []from{two}, fmt.Sprintf("unnest(%s, ARRAY[%d, %d, 5]) WITH ORDINALITY %s(i, j, o)", array, g.r.IntN(6), g.r.IntN(6), name)
	}
	return []from{{name: name, ints: []string{"i"}, keys: []string{"i"}, known: true}}, fmt.Sprintf("generate_series(1, %s) %s(i)", end, name)
}

// merged is a join by the columns of one name.
func (g *Joins) merged() ([]from, string) {
	a, b, name := g.name("t"), g.name("t"), g.name("j")
	switch g.r.IntN(6) {
	case 4: // of two types
		return []from{{name: name, ints: []string{"k"}}, joinTables[0].as(a), joinTables[2].as(b)},
			fmt.Sprintf("(ja %s %s JOIN jc %s USING (k) AS %s)", a, g.pick("", "LEFT", "RIGHT", "FULL"), b, name)
	case 5:
		return []from{{name: name, ints: []string{"k", "x", "y", "z"}, texts: []string{"s"}}},
			fmt.Sprintf("(ja %s %s JOIN jc %s USING (k, x)) %s(k, x, y, s, z)", a, g.pick("", "LEFT", "RIGHT", "FULL"), b, name)
	case 1:
		return []from{{name: name, ints: []string{"x"}}, joinTables[0].as(a), joinTables[1].as(b)},
			fmt.Sprintf("(ja %s %s JOIN jb %s USING (x) AS %s)", a, g.pick("", "LEFT", "RIGHT", "FULL"), b, name)
	case 2:
		return []from{{name: name, ints: []string{"a", "b", "d", "e"}, texts: []string{"c"}}},
			fmt.Sprintf("(ja %s %s JOIN jd %s USING (x, s)) %s(a, c, b, d, e)", a, g.pick("", "LEFT", "RIGHT", "FULL"), b, name)
	case 3:
		return []from{{name: name, ints: []string{"a", "b", "d", "f"}, texts: []string{"e", "g"}, keys: []string{"b", "g", "f"}, known: true}},
			fmt.Sprintf("(ja %s %s JOIN jd %s USING (x)) %s(a, b, d, e, g, f)", a, g.pick("", "LEFT", "RIGHT", "FULL"), b, name)
	}
	return []from{joinTables[2].as(a), joinTables[3].as(b)}, fmt.Sprintf("(jc %s NATURAL %s JOIN jd %s)", a, g.pick("", "LEFT", "RIGHT", "FULL"), b)
}

func (g *Joins) intCol(rels []from) string {
	f := rels[g.r.IntN(len(rels))]
	return f.name + "." + f.ints[g.r.IntN(len(f.ints))]
}

// whole is a whole number made of a column.
func (g *Joins) whole(rels []from) string {
	f := rels[g.r.IntN(len(rels))]
	c := f.name + "." + f.ints[g.r.IntN(len(f.ints))]
	if f.table == "ja" || f.table == "jb" || f.table == "jc" || f.table == "jd" {
		return c
	}
	return "floor(" + c + ")::int8"
}

// textCol is a column of texts, or empty where there is none.
func (g *Joins) textCol(rels []from) string {
	return g.columnOf(rels, func(f *from) []string { return f.texts })
}

func (g *Joins) boolCol(rels []from) string {
	return g.columnOf(rels, func(f *from) []string { return f.bools })
}

func (g *Joins) dateCol(rels []from) string {
	return g.columnOf(rels, func(f *from) []string { return f.dates })
}

// columnOf is one of the columns that of gives, or empty where there is none.
func (g *Joins) columnOf(rels []from, of func(*from) []string) string {
	var all []string
	for i := range rels {
		for _, c := range of(&rels[i]) {
			all = append(all, rels[i].name+"."+c)
		}
	}
	if len(all) == 0 {
		return ""
	}
	return g.pick(all...)
}
