package random

import (
	"fmt"
	"strings"
)

// form makes a query of one of the forms that fewer people write; k is 20 and more.
func (g *Joins) form(k int, outer []from) (string, from) {
	switch k {
	case 20, 21:
		return g.outerAggregates(outer)
	case 22:
		return g.setReturning(outer)
	case 23:
		return g.dependent(outer)
	case 24:
		return g.windowOverGroups(outer)
	case 25, 26:
		return g.wholeRows(outer)
	case 29:
		if g.depth == 1 {
			return g.locked()
		}
	}
	if g.depth > 1 {
		return g.outerAggregates(outer)
	}
	return g.many(outer)
}

// outerAggregates is a query over groups, in whose select list stand queries that name the
// groups' aggregates: what is summed belongs to the query outside.
func (g *Joins) outerAggregates(outer []from) (string, from) {
	rels, body := g.body(outer)
	by := g.intCol(rels)
	var s selected
	s.int(by)
	s.keys, s.known = []string{"c1"}, true
	for range 1 + g.r.IntN(2) {
		c, d := g.intCol(rels), g.intCol(rels)
		t := &joinTables[g.r.IntN(len(joinTables))]
		inner := []from{t.as(g.name("t"))}
		x, name := g.intCol(inner), t.name+" "+inner[0].name
		switch g.r.IntN(7) {
		case 1:
			s.int(fmt.Sprintf("(SELECT max(%s) + count(%s) FROM %s WHERE %s < count(%s))", c, x, name, x, d))
		case 2:
			s.int(fmt.Sprintf("(SELECT count(*) FROM %s WHERE %s = %s)", name, x, g.agg(rels, nil)))
		case 3:
			s.int(fmt.Sprintf("(EXISTS (SELECT 1 FROM %s WHERE %s = max(%s) AND %s = %s))::int", name, x, c, g.intCol(inner), by))
		case 4:
			s.int(fmt.Sprintf("CASE WHEN %s IN (SELECT %s FROM %s) THEN (SELECT min(%s)) ELSE sum(%s) END", by, x, name, c, d))
		case 5:
			s.int(fmt.Sprintf("(SELECT sum(%s) FROM %s GROUP BY %s HAVING %s <= max(%s) ORDER BY 1 LIMIT 1)", x, name, g.intCol(inner), "min("+x+")", c))
		case 6:
			s.int(fmt.Sprintf("(SELECT (SELECT sum(%s) + max(%s)) FROM %s)", c, x, name))
		default:
			s.int("(SELECT " + g.agg(rels, nil) + ")")
		}
	}
	text := "SELECT " + s.String() + body + " GROUP BY " + by
	if g.one(3) {
		text += fmt.Sprintf(" HAVING (SELECT count(*) FROM ja WHERE ja.x = min(%s)) %s %d", g.intCol(rels), g.pick("<", ">=", "<>"), g.r.IntN(3))
	}
	return text, s.from
}

// setReturning has calls that give rows in its select list.
func (g *Joins) setReturning(outer []from) (string, from) {
	rels, body := g.body(outer)
	calls := func() string {
		c, d := g.intCol(rels), g.intCol(rels)
		return g.pick(fmt.Sprintf("generate_series(1, least(%s, 3)::int)", c), fmt.Sprintf("unnest(ARRAY[%s, %s])", c, d),
			fmt.Sprintf("generate_series(%d, 5, 2) + %s", g.r.IntN(3), c), fmt.Sprintf("CASE WHEN true THEN %s END", d))
	}
	var s selected
	var group string
	switch g.r.IntN(4) {
	case 2:
		c := g.intCol(rels)
		s.int(g.intCol(rels))
		group = " GROUP BY 1"
		s.int(fmt.Sprintf("unnest(array_agg(%s ORDER BY %s))", c, c))
	case 3:
		s.int(g.agg(rels, outer))
		s.int("generate_series(1, count(*)::int % 4)")
	default:
		s.int(g.value(rels, outer))
		for range 1 + g.r.IntN(2) {
			s.int(calls())
		}
	}
	text := "SELECT " + g.pick("", "", "DISTINCT ") + s.String() + body + group
	if g.one(3) {
		text += " ORDER BY " + g.directions([]string{"2", "1", "3"}[:len(s.list)], nil) + g.limit()
	}
	return text, s.from
}

// dependent groups by a table's key, by which all of its columns are known.
func (g *Joins) dependent(outer []from) (string, from) {
	t := &joinTables[g.r.IntN(len(joinTables))]
	a := t.as(g.name("t"))
	rels, text := []from{a}, t.name+" "+a.name
	for range 1 + g.r.IntN(2) {
		rels, text = g.join(outer, rels, text)
	}
	var by []string
	for _, k := range t.key {
		by = append(by, a.name+"."+k)
	}
	var s selected
	for _, c := range t.ints[:2] {
		s.int(a.name + "." + c)
	}
	s.int(g.agg(rels, outer))
	if len(t.texts) > 0 {
		s.text("left(" + a.name + "." + t.texts[0] + ", 3)")
	}
	text = "SELECT " + s.String() + " FROM " + text
	if g.r.IntN(2) == 1 {
		text += " WHERE " + g.cond(rels, outer)
	}
	text += " GROUP BY " + strings.Join(by, ", ")
	switch g.r.IntN(4) {
	case 1:
		text += fmt.Sprintf(" HAVING %s IS NOT NULL OR count(*) > 1", g.intCol([]from{a}))
	case 2:
		text += " HAVING " + g.test([]from{a}, outer)
	case 3:
		text += fmt.Sprintf(" ORDER BY count(*), %s, %s%s", g.intCol([]from{a}), strings.Join(by, ", "), g.limit())
	}
	return text, s.from
}

// groupingSets is a query of several groupings.
func (g *Joins) groupingSets(outer []from) (string, from) {
	rels, body := g.body(outer)
	var cols []string
	for len(cols) < 3 {
		cols = append(cols, g.intCol(rels))
	}
	if e := g.textCol(rels); e != "" && g.one(4) {
		cols[2] = e
	}
	// Where a join makes the two equal, PostgreSQL sorts the rows above by either, though one of them
	// may be rolled up; a sum it takes for itself.
	if i := g.r.IntN(2); cols[0] != cols[1] {
		cols[i] = "(" + cols[i] + " + 0)"
	}
	sub := func() string { return cols[g.r.IntN(2)] }
	simple := func() string {
		switch g.r.IntN(6) {
		case 1:
			return "()"
		case 2:
			return fmt.Sprintf("(%s, %s)", cols[0], cols[1])
		case 3:
			return fmt.Sprintf("ROLLUP (%s, %s)", cols[0], cols[1])
		case 4:
			return fmt.Sprintf("CUBE (%s, %s)", cols[1], cols[0])
		}
		return "(" + sub() + ")"
	}
	var by string
	switch g.r.IntN(7) {
	case 1:
		by = fmt.Sprintf("CUBE (%s, %s)", cols[0], cols[1])
	case 2:
		by = fmt.Sprintf("GROUPING SETS (%s, %s, (%s, %s))", simple(), simple(), cols[0], cols[1])
	case 3:
		by = fmt.Sprintf("%s, ROLLUP (%s)", cols[0], cols[1])
	case 4:
		by = fmt.Sprintf("ROLLUP ((%s, %s), %s)", cols[0], cols[2], cols[1])
	case 5:
		by = fmt.Sprintf("DISTINCT ROLLUP (%s, %s), CUBE (%s)", cols[0], cols[1], cols[0])
	case 6:
		by = fmt.Sprintf("GROUPING SETS (%s, ROLLUP (%s, %s)), %s", simple(), cols[0], cols[1], cols[1])
	default:
		by = fmt.Sprintf("ROLLUP (%s, %s)", cols[0], cols[1])
	}
	var s selected
	s.int(cols[0])
	s.int(cols[1])
	s.int(fmt.Sprintf("GROUPING(%s, %s)", cols[0], cols[1]))
	for range 1 + g.r.IntN(2) {
		s.int(g.agg(rels, outer))
	}
	if g.one(4) {
		s.text(g.textAgg(rels, outer))
	}
	having := g.having(rels, outer)
	if g.one(6) {
		having = fmt.Sprintf(" HAVING GROUPING(%s) = %d", cols[0], g.r.IntN(2))
	}
	return "SELECT " + s.String() + body + " GROUP BY " + by + having, s.from
}

// windowOverGroups computes windows over the rows of several groupings.
func (g *Joins) windowOverGroups(outer []from) (string, from) {
	rels, body := g.body(outer)
	// Where a join makes two columns equal, or both are one column of a subquery that is drawn up,
	// PostgreSQL takes them for one behind the groups too, where one of them may be rolled up. It
	// does not so with a sum.
	a, b := g.intCol(rels), "("+g.intCol(rels)+" + 0)"
	var s selected
	s.int(a)
	s.int(fmt.Sprintf("GROUPING(%s, %s)", a, b))
	// One call: where a and b turn out to be one column, PostgreSQL takes GROUPING(a) and GROUPING(b)
	// for the same, sorts by the first alone and then tells partitions apart by both.
	s.int(fmt.Sprintf("sum(%s) OVER (PARTITION BY GROUPING(%s, %s) ORDER BY %s%s)", g.pick("count(*)", "sum("+b+")", "max("+a+")"), a, b, a, g.pick("", " DESC", " NULLS FIRST")))
	s.int(fmt.Sprintf("rank() OVER (ORDER BY %s, GROUPING(%s))", g.pick("count(*)", "min("+b+")"), b))
	if g.one(3) {
		s.int(fmt.Sprintf("max(%s) FILTER (WHERE %s IS NOT NULL) OVER (PARTITION BY %s)", g.agg(rels, nil), a, b))
	}
	by := g.pick("ROLLUP (%s, %s)", "CUBE (%s, %s)", "GROUPING SETS ((%s), (%s), ())", "GROUPING SETS ((%s, %s), ())", "%s, ROLLUP (%s)", "%s, %s")
	return "SELECT " + s.String() + body + " GROUP BY " + fmt.Sprintf(by, a, b), s.from
}

// wholeRows has rows of tables as values: compared, grouped, sorted, taken apart again.
func (g *Joins) wholeRows(outer []from) (string, from) {
	t := &joinTables[g.r.IntN(len(joinTables))]
	if g.one(4) {
		t = &joinViews[g.r.IntN(len(joinViews))]
	}
	a := t.as(g.name("t"))
	rels, text := []from{a}, t.name+" "+a.name
	if g.r.IntN(2) == 1 {
		text = ""
		rels, text = g.relation(outer, nil)
		text = fmt.Sprintf("%s %s %s %s ON %s = %s", text, g.pick("LEFT JOIN", "JOIN"), t.name, a.name, g.intCol(rels), g.intCol([]from{a}))
		rels = append(rels, a)
	}
	where := ""
	if g.r.IntN(2) == 1 {
		where = " WHERE " + g.cond(rels, outer)
	}
	var s selected
	c := t.ints[g.r.IntN(len(t.ints))]
	short := "left(%s::text, 30)"
	switch g.r.IntN(9) {
	case 1:
		s.int("count(*)")
		s.text(fmt.Sprintf(short, a.name))
		return fmt.Sprintf("SELECT %s FROM %s%s GROUP BY %s%s", s.String(), text, where, a.name,
			g.pick("", " HAVING count(*) < 3", fmt.Sprintf(" HAVING (SELECT count(*) FROM ja WHERE %s IS NULL) >= 0", a.name))), s.from
	case 2:
		d := g.name("d")
		s.int("(" + d + ".r)." + c)
		s.int("((" + d + ".r)." + t.ints[0] + " + 1)")
		return fmt.Sprintf("SELECT %s FROM (SELECT %s AS r FROM %s%s) %s WHERE %s.r %s", s.String(), a.name, text, where, d, d, g.pick("IS NOT NULL", "IS NULL", "IS DISTINCT FROM NULL")), s.from
	case 3:
		s.int(a.name + "." + c)
		key, known := identity([]from{a})
		if !known || len(rels) > 1 {
			return fmt.Sprintf("SELECT DISTINCT %s FROM %s%s", s.String(), text, where), s.from
		}
		return fmt.Sprintf("SELECT %s FROM %s%s ORDER BY %s%s, %s%s", s.String(), text, where, a.name, g.pick("", " DESC"), strings.Join(key, ", "), g.limit()), s.from
	case 4:
		s.int("count(DISTINCT " + a.name + ")")
		s.int("count(" + a.name + ".*)")
		s.text("left(array_agg(" + a.name + " ORDER BY " + a.name + ")::text, 40)")
		return fmt.Sprintf("SELECT %s FROM %s%s", s.String(), text, where), s.from
	case 5:
		s.text(fmt.Sprintf(short, "v"))
		s.int(g.pick("(v).", "(q.v).") + c)
		return fmt.Sprintf("SELECT %s FROM (SELECT DISTINCT %s AS v FROM %s%s) q", s.String(), a.name, text, where), s.from
	case 6:
		s.int(g.intCol(rels))
		s.int(fmt.Sprintf("(SELECT count(*) FROM %s u WHERE u %s %s)", t.name, g.pick("=", "<", ">=", "IS NOT DISTINCT FROM", "<>"), a.name))
		return fmt.Sprintf("SELECT %s FROM %s%s", s.String(), text, where), s.from
	case 7:
		s.int(g.intCol(rels))
		s.text(fmt.Sprintf(short, fmt.Sprintf("first_value(%s) OVER (PARTITION BY %s ORDER BY %s)", a.name, g.intCol(rels), a.name)))
		return fmt.Sprintf("SELECT %s FROM %s%s", s.String(), text, where), s.from
	case 8:
		s.int("x.n")
		s.text(fmt.Sprintf(short, "x.r"))
		return fmt.Sprintf("SELECT %s FROM (SELECT %s AS r, 1 AS n FROM %s%s %s SELECT u, 2 FROM %s u) x", s.String(), a.name, text, where, g.pick("UNION ALL", "UNION", "EXCEPT"), t.name), s.from
	}
	s.int(fmt.Sprintf("(%s %s)::int", a.name, g.pick("IS NULL", "IS NOT NULL", "IS DISTINCT FROM NULL")))
	s.int(fmt.Sprintf("(ROW(%s.*) %s)::int", a.name, g.pick("IS NULL", "IS NOT NULL", "= ROW("+a.name+".*)")))
	s.text(fmt.Sprintf(short, fmt.Sprintf("coalesce(%s, %s)", a.name, a.name)))
	return fmt.Sprintf("SELECT %s FROM %s%s", s.String(), text, where), s.from
}

// many joins up to seven tables, by equalities alone, so that the answer stays small.
func (g *Joins) many(outer []from) (string, from) {
	var rels []from
	var where []string
	text := ""
	for i := range 3 + g.r.IntN(4) {
		t := &joinTables[g.r.IntN(len(joinTables))]
		a := t.as(g.name("t"))
		ref := t.name + " " + a.name
		switch {
		case i == 0:
			text = ref
		default:
			on := fmt.Sprintf("%s = %s.%s", g.intCol(rels), a.name, t.key[0])
			if l := g.textCol(rels); l != "" && len(t.texts) > 0 && g.one(3) {
				on = l + " = " + a.name + "." + t.texts[0]
			} else if t.name == "jd" || g.one(2) {
				on = fmt.Sprintf("%s = %s", g.intCol(rels), g.intCol([]from{a}))
			}
			if len(t.key) > 1 && g.one(3) {
				on += fmt.Sprintf(" AND %s = %s.%s", g.intCol(rels), a.name, t.ints[1])
			}
			switch g.r.IntN(6) {
			case 1:
				text = fmt.Sprintf("%s LEFT JOIN %s ON %s", text, ref, on)
			case 2:
				text = fmt.Sprintf("%s JOIN %s ON %s", text, ref, on)
			case 3:
				text = fmt.Sprintf("%s RIGHT JOIN %s ON %s", ref, "("+text+")", on)
				if i == 1 {
					text = fmt.Sprintf("%s LEFT JOIN %s ON %s", rels[0].table+" "+rels[0].name, ref, on)
				}
			default:
				text = fmt.Sprintf("%s CROSS JOIN %s", text, ref)
				where = append(where, on)
			}
		}
		rels = append(rels, a)
	}
	for range g.r.IntN(3) {
		where = append(where, g.cond(rels, outer))
	}
	if len(where) > 0 {
		text += " WHERE " + strings.Join(where, " AND ")
	}
	var s selected
	if g.r.IntN(2) == 1 {
		s.int(g.intCol(rels))
		s.int("count(*)")
		s.int(g.agg(rels, outer))
		return "SELECT " + s.String() + " FROM " + text + " GROUP BY 1", s.from
	}
	for range 2 {
		s.int(g.value(rels, outer))
	}
	return "SELECT " + s.String() + " FROM " + text, s.from
}

// locked locks the rows of what it reads.
func (g *Joins) locked() (string, from) {
	rels, body := g.body(nil)
	var s selected
	s.int(g.value(rels, nil))
	s.int(g.intCol(rels))
	text := "SELECT " + s.String() + body
	if key, known := identity(rels); known && g.r.IntN(2) == 1 {
		text += " ORDER BY " + g.directions([]string{g.intCol(rels)}, key) + g.limit()
	}
	of := ""
	if g.one(3) {
		of = " OF " + rels[g.r.IntN(len(rels))].name
	}
	return text + " FOR " + g.pick("UPDATE", "SHARE", "NO KEY UPDATE", "KEY SHARE") + of + g.pick("", " NOWAIT", " SKIP LOCKED"), s.from
}

// fromNothing is an item of FROM that reads no relation, but what is to its left.
func (g *Joins) fromNothing(outer, lateral []from) ([]from, string) {
	name := g.name("d")
	if g.r.IntN(2) == 1 {
		return []from{{name: name, ints: []string{"i"}}}, fmt.Sprintf("LATERAL (VALUES (%s), (%s), (%d)) %s(i)", g.intCol(lateral), g.intCol(lateral), g.r.IntN(6), name)
	}
	text := fmt.Sprintf("LATERAL (SELECT %s + 1 AS i, %s AS j", g.intCol(lateral), g.intCol(lateral))
	if g.r.IntN(2) == 1 {
		text += " WHERE " + g.cond(lateral, outer)
	}
	return []from{{name: name, ints: []string{"i", "j"}, known: true}}, text + ") " + name
}

// records is a function that gives rows of named columns.
func (g *Joins) records(lateral []from) ([]from, string) {
	name := g.name("f")
	i, j := fmt.Sprint(g.r.IntN(6)), fmt.Sprint(g.r.IntN(6))
	switch g.r.IntN(4) {
	case 1:
		if len(lateral) > 0 {
			return []from{{name: name, ints: []string{"i", "j"}}}, fmt.Sprintf("jsonb_to_recordset(jsonb_build_array(jsonb_build_object('i', %s, 'j', %s), '{\"i\": %s}'::jsonb)) AS %s(i numeric, j float8)",
				g.intCol(lateral), g.intCol(lateral), i, name)
		}
	case 2:
		return []from{{name: name, ints: []string{"i"}, texts: []string{"s"}}},
			fmt.Sprintf("(SELECT value::text::int AS i, key AS s FROM json_each('{\"a\": %s, \"b\": %s, \"e\": 1}')) %s", i, j, name)
	case 3:
		return []from{{name: name, texts: []string{"s"}, ints: []string{"o"}, keys: []string{"o"}, known: true}}, fmt.Sprintf("string_to_table('a,c,%s', ',') WITH ORDINALITY %s(s, o)", i, name)
	}
	return []from{{name: name, ints: []string{"i", "j"}}}, fmt.Sprintf("json_to_recordset('[{\"i\": %s, \"j\": null}, {\"j\": %s}, {\"i\": 2, \"j\": 2}]') AS %s(i int, j int8)", i, j, name)
}
