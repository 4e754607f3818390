package random

import (
	"fmt"
	"strings"
)

// query is a SELECT without aggregates.
func (g *Gen) query() Statement {
	t := g.Table
	s := Statement{Query: true}
	if g.r.IntN(8) > 0 {
		s.Where = g.where(2)
	}
	switch g.r.IntN(24) {
	case 0:
		return g.distinctOn(s)
	case 1, 2:
		return g.distinct(s)
	case 3:
		return g.union(s)
	case 4:
		return g.derived(s)
	}
	s.Head = fmt.Sprintf("SELECT %s FROM %s", g.output(), t.Name)
	switch g.r.IntN(5) {
	case 0: // no order: the rows compare as a set
		return s
	case 1: // any rows, so many
		if g.one(2) {
			s.Tail, s.Count = g.form("LIMIT without an order")+g.limit(), true
		}
		return s
	case 2: // by something else first: a sort, made total by the key
		s.Tail = g.form("a sort") + " ORDER BY " + g.sortKey() + ", " + names(t.Key)
	default:
		s.Tail = " ORDER BY " + g.keyOrder()
	}
	if g.one(2) {
		s.Tail += g.limit()
	}
	s.Ordered = true
	return s
}

func (g *Gen) limit() string {
	n := func(max int) string {
		a := arg{typ: &limitType, oid: 20}
		for range sets {
			v := fmt.Sprint(g.r.IntN(max))
			a.vals = append(a.vals, &v)
		}
		a.lit = *a.vals[0]
		if g.one(16) { // NULL is no bound
			a.vals[1+g.r.IntN(sets-1)] = nil
		}
		return g.mark(a)
	}
	s := g.form("LIMIT") + " LIMIT " + n(12)
	switch g.r.IntN(8) {
	case 0:
		s = fmt.Sprintf(" FETCH FIRST %d ROWS ONLY", 1+g.r.IntN(9))
	case 1, 2:
		s += g.form("LIMIT with OFFSET") + " OFFSET " + n(6)
	case 3:
		s = g.form("OFFSET") + " OFFSET " + n(6)
	}
	return s
}

// output is a select list.
func (g *Gen) output() string {
	if g.one(2) {
		return "*"
	}
	cols := g.Table.columns()
	var list []string
	for range 1 + g.r.IntN(3) {
		c := cols[g.r.IntN(len(cols))]
		e := c.Name
		if g.one(4) {
			e = g.expr(c)
			// A cast and an element are named as the column is, and ORDER BY goes by names of
			// the output: rows that differ would tie.
			if strings.HasPrefix(e, c.Name+"::") || strings.HasPrefix(e, c.Name+"[") {
				e += " AS part"
			}
		}
		list = append(list, e)
	}
	return strings.Join(list, ", ")
}

// expr is an expression over a column.
func (g *Gen) expr(c Column) string {
	n := c.Name
	list := []string{n + " IS NULL", "COALESCE(" + n + ", NULL)"}
	switch c.typ.class {
	case classInt:
		list = append(list, n+" % 3", n+"::numeric * 2", n+"::text || 'x'", "CASE WHEN "+n+" > 0 THEN 'p' ELSE 'n' END")
	case classNumeric:
		list = append(list, n+" + 1", "round("+n+", 1)")
	case classText, classChar:
		list = append(list, "reverse("+n+")", "length("+n+")", n+" || '|'", "substr("+n+", 1, 1)")
	case classDate:
		list = append(list, "date_trunc('month', "+n+")", n+" + 1", "extract(year FROM "+n+")")
	case classTimestamp:
		list = append(list, "date_trunc('day', "+n+")", n+"::date", "extract(epoch FROM "+n+")")
	case classBool:
		list = append(list, "NOT "+n)
	case classInterval:
		list = append(list, "extract(epoch FROM "+n+")", n+" + interval '1 day'", "date '2024-01-31' + "+n)
	case classBytea:
		list = append(list, "length("+n+")", `'\x01' || `+n)
	case classJSON:
		list = append(list, n+" -> 'a'", n+" -> 0", "jsonb_typeof("+n+")")
	case classJSONText:
		return n + " ->> 'a'"
	case classArray:
		list = append(list, n+"[1]", "cardinality("+n+")", "array_length("+n+", 1)", n+" || "+n)
	}
	return g.pick(list)
}

func (g *Gen) sortable() Column {
	cols := g.Table.columns()
	for {
		if c := cols[g.r.IntN(len(cols))]; c.typ.class != classJSONText {
			return c
		}
	}
}

func (g *Gen) sortKey() string {
	c := g.sortable()
	e := c.Name
	if g.one(5) && c.typ.class != classArray {
		e = g.expr(c)
	}
	return e + g.pick([]string{"", " DESC", " NULLS FIRST", " DESC NULLS LAST"})
}

// keyOrder orders by the whole key: as stored, reversed, or at random, with
// columns repeated or other columns after it that change nothing.
func (g *Gen) keyOrder() string {
	mode := g.r.IntN(3)
	out := []string{g.form([]string{"key order", "key order, reverse", "key columns in mixed directions"}[mode])}
	for _, c := range g.Table.Key {
		desc := c.Desc
		switch mode {
		case 1:
			desc = !desc
		case 2:
			desc = g.one(2)
		}
		e := c.Name
		if desc {
			e += " DESC"
		}
		if g.one(10) {
			e += g.pick([]string{" NULLS FIRST", " NULLS LAST"})
		}
		out = append(out, e)
	}
	if g.one(10) {
		out = append(out, g.sortable().Name)
	}
	return out[0] + strings.Join(out[1:], ", ")
}

// distinct is SELECT DISTINCT of some columns, in their order or as a set.
func (g *Gen) distinct(s Statement) Statement {
	cols, form := g.Table.Key[:1+g.r.IntN(len(g.Table.Key))], "DISTINCT of a key prefix"
	if g.one(3) {
		cols, form = []Column{g.sortable()}, "DISTINCT of another column"
	}
	s.Head = g.form(form) + fmt.Sprintf("SELECT DISTINCT %s FROM %s", names(cols), g.Table.Name)
	if g.one(3) {
		return s
	}
	s.Tail, s.Ordered = " ORDER BY "+g.orderOf(cols), true
	if g.one(2) {
		s.Tail += g.limit()
	}
	return s
}

// orderOf orders by the columns, each either way.
func (g *Gen) orderOf(cols []Column) string {
	var out []string
	flip := g.one(2)
	for _, c := range cols {
		e := c.Name
		if c.Desc != flip || g.one(6) {
			e += " DESC"
		}
		out = append(out, e)
	}
	return strings.Join(out, ", ")
}

func (g *Gen) distinctOn(s Statement) Statement {
	key := g.Table.Key
	on := key[:1+g.r.IntN(len(key))]
	s.Head = g.form("DISTINCT ON") + fmt.Sprintf("SELECT DISTINCT ON (%s) %s FROM %s", names(on), g.output(), g.Table.Name)
	s.Tail, s.Ordered = " ORDER BY "+g.orderOf(key), true
	if g.one(3) {
		s.Tail += g.limit()
	}
	return s
}

// union is two queries of the same columns, one after the other.
func (g *Gen) union(s Statement) Statement {
	cols := []Column{g.sortable(), g.sortable()}
	part := func() string {
		return fmt.Sprintf("SELECT %s FROM %s WHERE %s", names(cols), g.Table.Name, g.cond(1))
	}
	s.Head = g.form("UNION") + fmt.Sprintf("SELECT * FROM (%s %s %s) AS u (a, b)", part(), g.pick([]string{"UNION ALL", "UNION ALL", "UNION"}), part())
	s.Where, s.Tail = nil, ""
	if g.one(2) {
		s.Tail, s.Ordered = " ORDER BY a, b", true
		if g.one(2) {
			s.Tail += g.limit()
		}
	}
	return s
}

// derived is a query over a query.
func (g *Gen) derived(s Statement) Statement {
	inner := fmt.Sprintf("SELECT * FROM %s WHERE %s", g.Table.Name, g.cond(1))
	if g.one(2) {
		inner += " ORDER BY " + g.keyOrder() + g.limit()
	}
	s.Head = g.form("a query over a query") + fmt.Sprintf("SELECT * FROM (%s) AS s", inner)
	if g.one(2) {
		s.Head = g.form("WITH") + fmt.Sprintf("WITH s AS (%s) SELECT * FROM s", inner)
	}
	s.Tail, s.Ordered = " ORDER BY "+g.keyOrder(), true
	return s
}
