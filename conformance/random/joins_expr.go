package random

import (
	"fmt"
	"strings"
)

// anyCol is a column of rels or, sometimes, of what is around.
func (g *Joins) anyCol(rels, outer []from) string {
	if len(outer) > 0 && g.one(3) {
		return g.intCol(outer)
	}
	return g.intCol(rels)
}

// value is a whole number.
func (g *Joins) value(rels, outer []from) string {
	all := both(outer, rels...)
	k := g.r.IntN(29)
	if g.depth >= 3 && k >= 17 {
		k = 0
	}
	switch k {
	case 24:
		return fmt.Sprintf("(%s AND %s OR %s)::int", g.test(rels, outer), g.simple(rels), g.test(rels, outer))
	case 25:
		return fmt.Sprintf("coalesce(%s, %s, %s)", g.scalar(all), g.scalar(all), g.intCol(rels))
	case 26:
		return fmt.Sprintf("CASE WHEN %s THEN %s WHEN %s THEN %s ELSE %s END", g.test(rels, outer), g.scalar(all), g.simple(rels), g.intCol(rels), g.scalar(all))
	case 27:
		return fmt.Sprintf("CASE WHEN %s IS NULL THEN %s ELSE (%s OR %s)::int END", g.anyCol(rels, outer), g.intCol(rels), g.simple(rels), g.test(rels, outer))
	case 28:
		if d := g.dateCol(rels); d != "" {
			return d + " - DATE '2024-02-28'"
		}
	case 10:
		return fmt.Sprintf("%s + %d", g.anyCol(rels, outer), g.r.IntN(3))
	case 11:
		return fmt.Sprintf("coalesce(%s, %s)", g.anyCol(rels, outer), g.intCol(rels))
	case 12:
		return fmt.Sprintf("nullif(%s, %s)", g.anyCol(rels, outer), g.intCol(rels))
	case 13:
		return fmt.Sprintf("%s(%s, %s)", g.pick("greatest", "least"), g.anyCol(rels, outer), g.intCol(rels))
	case 14:
		return fmt.Sprintf("(ARRAY[%s, %s])[%d]", g.anyCol(rels, outer), g.intCol(rels), 1+g.r.IntN(3))
	case 15:
		if c := g.textCol(rels); c != "" {
			return "length(" + c + ")"
		}
	case 16:
		if f := all[g.r.IntN(len(all))]; f.table != "" {
			return fmt.Sprintf("(%s).%s", f.name, f.ints[g.r.IntN(len(f.ints))])
		}
	case 17, 18:
		return g.scalar(all)
	case 19:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END", g.cond(rels, outer), g.intCol(rels), g.scalar(all))
	case 20:
		return fmt.Sprintf("(%s)::int", g.test(rels, outer))
	case 21:
		return fmt.Sprintf("(ARRAY(%s ORDER BY 1))[%d]", g.exactly(all, 1), 1+g.r.IntN(2))
	case 22:
		return fmt.Sprintf("cardinality(ARRAY(%s))", g.exactly(all, 1))
	case 23:
		return fmt.Sprintf("CASE %s WHEN %s THEN %s WHEN %d THEN %s END", g.anyCol(rels, outer), g.intCol(rels), g.scalar(all), g.r.IntN(4), g.intCol(rels))
	}
	return g.anyCol(rels, outer)
}

// textValue is a text.
func (g *Joins) textValue(rels, outer []from) string {
	f := rels[g.r.IntN(len(rels))]
	switch g.r.IntN(10) {
	case 7:
		if f.table != "" {
			return "left(" + g.pick("row_to_json", "to_jsonb") + "(" + f.name + ")::text, 30)"
		}
	case 8:
		if d := g.dateCol(rels); d != "" {
			return fmt.Sprintf(g.pick("%s::text", "date_trunc('month', %s::timestamp)::text", "(%s + INTERVAL '1 day 2 hours')::text", "to_char(%s, 'DDD/YY')"), d)
		}
	case 9:
		if b := g.boolCol(rels); b != "" {
			return fmt.Sprintf("(%s %s %s)::text", b, g.pick("AND", "OR", "=", "IS DISTINCT FROM"), g.simple(rels))
		}
	case 1:
		return "left(" + f.name + "::text, 40)"
	case 2:
		return fmt.Sprintf("ROW(%s, %s)::text", g.anyCol(rels, outer), g.intCol(rels))
	case 3:
		return fmt.Sprintf("ARRAY[%s, %s]::text", g.anyCol(rels, outer), g.intCol(rels))
	case 4:
		if g.depth < 3 {
			return fmt.Sprintf("ARRAY(%s ORDER BY 1)::text", g.exactly(both(outer, rels...), 1))
		}
	case 5:
		return fmt.Sprintf("pg_typeof(%s)::text", g.value(rels, outer))
	}
	if c := g.textCol(rels); c != "" {
		return c
	}
	return g.intCol(rels) + "::text"
}

// agg is an aggregate that is a whole number.
func (g *Joins) agg(rels, outer []from) string {
	c := g.intCol(rels)
	filter := ""
	if g.one(6) {
		filter = " FILTER (WHERE " + g.cond(rels, outer) + ")"
	}
	switch k := g.r.IntN(19); {
	case k >= 14 && g.depth < 3:
		return g.conditional(rels, outer) + filter
	case k == 0:
		return "count(*)" + filter
	case k == 7:
		return "count(DISTINCT " + c + ")" + filter
	case k == 8:
		return "sum(DISTINCT " + c + ")" + filter
	case k == 9:
		return fmt.Sprintf("percentile_disc(0.%d) WITHIN GROUP (ORDER BY %s%s)%s", g.r.IntN(10), c, g.pick("", " DESC"), filter)
	case k == 10:
		return fmt.Sprintf("mode() WITHIN GROUP (ORDER BY %s)%s", c, filter)
	case k == 11:
		return fmt.Sprintf("%s(%d) WITHIN GROUP (ORDER BY %s)%s", g.pick("rank", "dense_rank"), g.r.IntN(5), c, filter)
	case k == 12:
		f := rels[g.r.IntN(len(rels))]
		return g.pick("count("+f.name+")", "count(DISTINCT "+f.name+")", "count(DISTINCT ("+c+", "+g.intCol(rels)+"))") + filter
	case k == 13:
		return fmt.Sprintf("(array_agg(%s ORDER BY %s))[1]", c, c)
	}
	return fmt.Sprintf("%s(%s)%s", g.pick("min", "max", "sum", "count"), c, filter)
}

// conditional is an aggregate of what is asked for on a condition.
func (g *Joins) conditional(rels, outer []from) string {
	all := both(outer, rels...)
	c := g.intCol(rels)
	switch g.r.IntN(5) {
	case 1:
		return fmt.Sprintf("max(coalesce(%s, %s))", g.scalar(all), c)
	case 2:
		return fmt.Sprintf("count(CASE WHEN %s THEN %s WHEN %s THEN 1 END)", g.simple(rels), c, g.test(rels, outer))
	case 3:
		return fmt.Sprintf("sum((%s AND %s)::int + %s)", g.simple(rels), g.test(rels, outer), c)
	case 4:
		return fmt.Sprintf("count(DISTINCT CASE WHEN %s THEN %s ELSE %s END)", g.test(rels, outer), c, g.scalar(all))
	}
	return fmt.Sprintf("sum(CASE WHEN %s THEN %s ELSE 1 END)", g.test(rels, outer), c)
}

// textAgg is an aggregate that is a text.
func (g *Joins) textAgg(rels, outer []from) string {
	c, d := g.intCol(rels), g.intCol(rels)
	switch g.r.IntN(10) {
	case 7:
		if d := g.dateCol(rels); d != "" {
			return fmt.Sprintf("(%s(%s) %s)::text", g.pick("min", "max"), d, g.pick("", "+ 1", "- INTERVAL '1 month'"))
		}
	case 8:
		if b := g.boolCol(rels); b != "" {
			return fmt.Sprintf("(bool_%s(%s) %s)::text", g.pick("and", "or"), b, g.pick("", "AND count(*) > 2"))
		}
	case 9:
		return fmt.Sprintf("json_agg(%s ORDER BY %s, %s)::text", g.pick(c, d), c, d)
	case 1:
		return fmt.Sprintf("array_agg(%s ORDER BY %s%s)::text", c, c, g.pick("", " DESC", " NULLS FIRST"))
	case 2:
		return fmt.Sprintf("array_agg(DISTINCT %s)::text", c)
	case 3:
		return fmt.Sprintf("percentile_cont(ARRAY[0, 0.25, 1]) WITHIN GROUP (ORDER BY %s)::text", c)
	case 4:
		return fmt.Sprintf("round(avg(%s)::numeric, 3)::text", c)
	case 5:
		return fmt.Sprintf("bool_%s(%s > %d)::text", g.pick("and", "or"), c, g.r.IntN(4))
	case 6:
		return fmt.Sprintf("array_agg(ROW(%s, %s) ORDER BY %s, %s)::text", c, d, c, d)
	}
	if s := g.textCol(rels); s != "" {
		return fmt.Sprintf("string_agg(%sleft(%s, 2), ',' ORDER BY left(%s, 2))", g.pick("", "DISTINCT "), s, s)
	}
	return "max(" + c + ")::text"
}

// scalar is a query of one value.
func (g *Joins) scalar(outer []from) string {
	g.depth++
	defer func() { g.depth-- }()
	switch g.r.IntN(5) {
	case 0:
		rels, clause := g.from(outer)
		return fmt.Sprintf("(SELECT count(*) FROM %s WHERE %s)", clause, g.cond(rels, outer))
	case 3:
		t := &joinTables[g.r.IntN(len(joinTables))]
		f := []from{t.as(g.name("t"))}
		key, _ := identity(f)
		c := g.intCol(f)
		return fmt.Sprintf("(SELECT %s FROM %s %s WHERE %s ORDER BY %s NULLS FIRST, %s LIMIT 1)", c, t.name, f[0].name, g.cond(f, outer), c, strings.Join(key, ", "))
	case 4:
		if g.depth < 3 {
			return fmt.Sprintf("(SELECT max(%s) FROM (%s) %s(v))", "v", g.exactly(outer, 1), g.name("d"))
		}
	}
	rels, clause := g.from(outer)
	return fmt.Sprintf("(SELECT %s FROM %s WHERE %s)", g.agg(rels, nil), clause, g.cond(rels, outer))
}

// oneColumn is a query of one column; where says that it has a condition.
func (g *Joins) oneColumn(outer []from, where bool) string {
	g.depth++
	defer func() { g.depth-- }()
	if g.depth < 3 && g.one(6) {
		return g.operation(outer, 1, 1)
	}
	rels, clause := g.from(outer)
	if where || g.r.IntN(2) == 0 {
		clause += " WHERE " + g.cond(rels, outer)
	}
	return fmt.Sprintf("SELECT %s FROM %s", g.anyCol(rels, outer), clause)
}

// cond is a condition over rels.
func (g *Joins) cond(rels, outer []from) string {
	switch k := g.r.IntN(10); {
	case k == 1:
		return g.simple(rels) + " AND " + g.test(rels, outer)
	case k == 2:
		return "(" + g.simple(rels) + " OR " + g.test(rels, outer) + ")"
	case k == 3:
		return "NOT (" + g.rare(func() string { return g.test(rels, outer) }) + ")"
	case k <= 6 && k > 3 && len(outer) > 0:
		return fmt.Sprintf("%s = %s", g.intCol(rels), g.intCol(outer))
	case k == 7 && len(outer) > 0:
		return fmt.Sprintf("%s < %s AND %s", g.intCol(rels), g.intCol(outer), g.simple(rels))
	case k == 8:
		return g.rowCond(rels, outer)
	}
	return g.test(rels, outer)
}

// rare has a condition made that few rows meet.
func (g *Joins) rare(make func() string) string {
	saved := g.few
	g.few = true
	defer func() { g.few = saved }()
	return make()
}

// weak is a condition that most rows meet: without it half of all answers are empty.
func (g *Joins) weak(rels []from) string {
	c := g.intCol(rels)
	switch g.r.IntN(10) {
	case 1:
		return fmt.Sprintf("%s >= %d", c, g.r.IntN(2))
	case 2:
		return fmt.Sprintf("%s <> %d", c, g.r.IntN(6))
	case 3:
		return fmt.Sprintf("%s IN (0, 1, 2, 3, %s)", c, g.pick("4", g.intCol(rels)))
	case 4:
		return fmt.Sprintf("%s BETWEEN 0 AND %d", c, 3+g.r.IntN(4))
	case 5:
		return fmt.Sprintf("%s IS DISTINCT FROM %s", c, g.pick("2", "NULL", "5"))
	case 6:
		if s := g.textCol(rels); s != "" {
			return s + g.pick(" <> 'd'", " >= 'a'", " IN ('a', 'b', 'c')", " IS NOT NULL", " NOT LIKE 'c%'")
		}
	case 7:
		return fmt.Sprintf("(%s > %d) IS NOT TRUE", c, 2+g.r.IntN(4))
	case 8:
		if b := g.boolCol(rels); b != "" {
			return "(" + b + g.pick("", " IS NOT FALSE", " IS NOT NULL", " OR "+c+" > 1") + ")"
		}
	case 9:
		if d := g.dateCol(rels); d != "" {
			return d + g.pick(" >= '2024-02-28'", " <> DATE '2024-02-29'", " < '2024-03-01'::timestamp", " IS NOT NULL", " BETWEEN '2024-02-01' AND '2024-02-29'")
		}
	}
	return c + " IS NOT NULL"
}

func (g *Joins) simple(rels []from) string {
	if !g.few && g.r.IntN(5) > 1 {
		return g.weak(rels)
	}
	c := g.intCol(rels)
	switch g.r.IntN(16) {
	case 12:
		return fmt.Sprintf("%s %s %s", c, g.pick("=", "<", ">=", "<>"), g.pick("1.5", "2.0", "2.5::float8", "3::int2", "'2'"))
	case 13:
		return fmt.Sprintf("%s %s (1, %s, 3)", c, g.pick("IN", "NOT IN"), g.pick("2.0", "NULL", "0.5", g.intCol(rels)))
	case 14:
		if b := g.boolCol(rels); b != "" {
			return fmt.Sprintf(g.pick("%s", "NOT %s", "%s IS TRUE", "%s IS NULL", "%s = ("+c+" > 2)", "%s IS DISTINCT FROM ("+c+" < 3)"), b)
		}
	case 15:
		if d := g.dateCol(rels); d != "" {
			return fmt.Sprintf("%s %s", d, g.pick("= '2024-02-29'", "> DATE '2024-02-28'", "IN ('2024-02-27', '2024-03-01', NULL)", "IS NULL", "< '2024-02-28 12:00'::timestamp", "= '2024-02-28 12:00'::timestamp"))
		}
	case 1:
		return c + " IS NULL"
	case 2:
		return c + " IS NOT NULL"
	case 3:
		return fmt.Sprintf("%s IN (%d, %d)", c, g.r.IntN(6), g.r.IntN(6))
	case 4:
		return fmt.Sprintf("%s = %s", c, g.intCol(rels))
	case 5:
		return fmt.Sprintf("coalesce(%s, 2) > %d", c, g.r.IntN(5))
	case 6:
		return fmt.Sprintf("%s > %d", c, g.r.IntN(6))
	case 7:
		return fmt.Sprintf("%s BETWEEN %d AND %d", c, g.r.IntN(4), 1+g.r.IntN(5))
	case 8:
		return fmt.Sprintf("%s %s (ARRAY[%d, %s])", c, g.pick("= ANY", "<> ALL", "< ANY", ">= ALL"), g.r.IntN(6), g.pick("2", "NULL", g.intCol(rels)))
	case 9:
		if s := g.textCol(rels); s != "" {
			return s + g.pick(" LIKE 'a%'", " > 'b'", " IN ('a', 'c')", " IS NULL", " <> 'd'", " = 'b'")
		}
	case 10:
		return fmt.Sprintf("%s IS %sDISTINCT FROM %s", c, g.pick("", "NOT "), g.pick(g.intCol(rels), "NULL", "3"))
	case 11:
		return fmt.Sprintf("(%s > %d) IS %s", c, g.r.IntN(5), g.pick("TRUE", "NOT TRUE", "UNKNOWN", "NOT FALSE"))
	}
	return fmt.Sprintf("%s = %d", c, g.r.IntN(6))
}

// rowCond compares rows.
func (g *Joins) rowCond(rels, outer []from) string {
	all := both(outer, rels...)
	left := fmt.Sprintf("(%s, %s)", g.anyCol(rels, outer), g.intCol(rels))
	f, o := rels[g.r.IntN(len(rels))], all[g.r.IntN(len(all))]
	switch g.r.IntN(12) {
	case 1:
		return fmt.Sprintf("%s %s (%s, %s)", left, g.pick("=", "<", ">=", "<>"), g.intCol(all), g.intCol(all))
	case 2:
		return fmt.Sprintf("%s IN ((%d, %d), (%s, %d))", left, g.r.IntN(4), g.r.IntN(4), g.intCol(all), g.r.IntN(4))
	case 3:
		return fmt.Sprintf("%s IS %sDISTINCT FROM (%s, %s)", left, g.pick("", "NOT "), g.intCol(all), g.intCol(all))
	case 4:
		return fmt.Sprintf("%s IS %s", f.name, g.pick("NULL", "NOT NULL"))
	case 5:
		return fmt.Sprintf("ROW(%s, %s) IS %s", g.intCol(all), g.intCol(rels), g.pick("NULL", "NOT NULL"))
	case 6:
		if f.table != "" && f.table == o.table {
			return fmt.Sprintf("%s %s %s", f.name, g.pick("=", "<>", "<", "IS DISTINCT FROM"), o.name)
		}
	case 7:
		if f.table != "" && g.depth < 3 && strings.HasPrefix(f.table, "j") {
			t := g.name("t")
			return fmt.Sprintf("%s %s (SELECT %s FROM %s %s WHERE %s)", f.name, g.pick("IN", "NOT IN", "= ANY", "<> ALL"), t, f.table, t, g.simple([]from{{name: t, ints: f.ints}}))
		}
	case 8, 9:
		if g.depth < 3 {
			return fmt.Sprintf("%s %s (%s)", left, g.pick("IN", "NOT IN", "= ANY", "<> ALL", "< ALL", ">= ANY"), g.exactly(all, 2))
		}
	case 10:
		if g.depth < 3 {
			return fmt.Sprintf("%s %s (%s ORDER BY 1, 2 LIMIT 1)", left, g.pick("=", "<", "<>"), g.exactly(all, 2))
		}
	}
	return fmt.Sprintf("%s = (%s, %d)", left, g.intCol(all), g.r.IntN(5))
}

// test is a condition, with a query where there is still room.
func (g *Joins) test(rels, outer []from) string {
	if g.depth >= 3 {
		return g.simple(rels)
	}
	all := both(outer, rels...)
	c := g.anyCol(rels, outer)
	switch g.r.IntN(13) {
	case 5:
		return "EXISTS (" + g.oneColumn(all, true) + ")"
	case 6:
		return "NOT EXISTS (" + g.rare(func() string { return g.oneColumn(all, true) }) + ")"
	case 7:
		return c + " IN (" + g.oneColumn(all, false) + ")"
	case 8:
		return c + " NOT IN (" + g.rare(func() string { return g.oneColumn(all, true) }) + ")"
	case 9:
		op := g.pick("=", "<", ">=", "<>")
		return fmt.Sprintf("%s %s %s (%s)", c, op, g.pick("ANY", "ALL"), g.oneColumn(all, false))
	case 10:
		return fmt.Sprintf("%s %s %s", c, g.pick("=", "<", ">"), g.scalar(all))
	case 11:
		return fmt.Sprintf("%s %s (ARRAY(%s))", c, g.pick("= ANY", "<> ALL", "> ANY"), g.oneColumn(all, false))
	case 12:
		text, _ := g.query(all)
		return g.pick("", "NOT ") + "EXISTS (" + text + ")"
	}
	return g.simple(rels)
}
