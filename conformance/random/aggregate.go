package random

import (
	"fmt"
	"strings"
)

// aggregate is a query with aggregates. Sums over floats are left out: their
// last digits depend on the order of the rows.
func (g *Gen) aggregate() Statement {
	t := g.Table
	s := Statement{Query: true}
	if g.r.IntN(3) > 0 {
		s.Where = g.where(1)
	}
	from := " FROM " + t.Name
	switch g.r.IntN(6) {
	case 5:
		return g.ofPrefix(s)
	case 0, 1: // one group
		s.Head, s.Ordered = "SELECT "+g.aggs()+from, true
		if g.one(6) {
			s.Tail = " HAVING count(*) > " + fmt.Sprint(g.r.IntN(4))
		}
	case 2, 3: // by a prefix of the key
		cols := t.Key[:1+g.r.IntN(len(t.Key))]
		s.Head = g.form("GROUP BY a key prefix") + fmt.Sprintf("SELECT %s, %s%s", names(cols), g.aggs(), from)
		s.Tail = " GROUP BY " + names(cols) + g.having()
		if g.r.IntN(4) > 0 {
			s.Tail += " ORDER BY " + g.orderOf(cols)
			s.Ordered = true
			if g.one(2) {
				s.Tail += g.limit()
			}
		}
	default: // by anything
		c := g.sortable()
		e := c.Name
		if g.one(3) {
			e = g.expr(c)
		}
		s.Head = g.form("GROUP BY another") + fmt.Sprintf("SELECT %s AS e, %s%s", e, g.aggs(), from)
		s.Tail = " GROUP BY 1" + g.having()
		if g.one(2) {
			s.Tail += " ORDER BY 1" + g.pick([]string{"", " DESC", " NULLS FIRST"})
			s.Ordered = true
			if g.one(2) {
				s.Tail += g.limit()
			}
		} else if g.one(3) {
			s.Tail += " ORDER BY count(*) DESC, 1" + g.limit()
			s.Ordered = true
		}
	}
	return s
}

// ofPrefix asks for what seeks over the first columns of the key can answer.
func (g *Gen) ofPrefix(s Statement) Statement {
	c := g.Table.Key[0]
	list := []string{fmt.Sprintf("count(DISTINCT %s)", c.Name)}
	if minMax(c) {
		list = append(list, fmt.Sprintf("min(%s)", c.Name), fmt.Sprintf("max(%s)", c.Name), fmt.Sprintf("min(%s), max(%s)", c.Name, c.Name))
	} else {
		list = append(list, "count(*)")
	}
	s.Head = g.form("min, max, count(DISTINCT) of the first key column") + fmt.Sprintf("SELECT %s FROM %s", g.pick(list), g.Table.Name)
	s.Ordered = true
	s.Where = nil
	if g.one(2) {
		s.Where = []string{g.keyCond()}
	}
	if g.one(4) {
		cols := g.Table.Key[:1+g.r.IntN(len(g.Table.Key))]
		s.Head = g.form("count of a DISTINCT key prefix") + fmt.Sprintf("SELECT count(*) FROM (SELECT DISTINCT %s FROM %s", names(cols), g.Table.Name)
		s.Tail = ") AS d"
	}
	return s
}

func (g *Gen) having() string {
	switch g.r.IntN(6) {
	case 0, 1:
		return fmt.Sprintf(" HAVING count(*) > %d", g.r.IntN(3))
	case 2:
		c := g.sortable()
		if minMax(c) {
			return fmt.Sprintf(" HAVING min(%s) %s %s", c.Name, g.op(), g.val(c))
		}
	}
	return ""
}

// minMax says that Postgres has min and max of the type.
func minMax(c Column) bool {
	switch c.typ.class {
	case classBool, classUUID, classBytea, classJSON, classArray:
		return false
	}
	return true
}

func (g *Gen) aggs() string {
	list := []string{"count(*)"}
	for range 1 + g.r.IntN(3) {
		c := g.sortable()
		n := c.Name
		choices := []string{
			fmt.Sprintf("count(%s)", n),
			fmt.Sprintf("count(DISTINCT %s)", n),
			fmt.Sprintf("count(*) FILTER (WHERE %s)", g.cond(0)),
			fmt.Sprintf("bool_or(%s IS NULL)", n),
		}
		if minMax(c) {
			mm := fmt.Sprintf("min(%s), max(%s)", n, n)
			choices = append(choices, mm, mm, fmt.Sprintf("max(%s)", n), fmt.Sprintf("min(%s) FILTER (WHERE %s)", n, g.cond(0)))
		}
		switch c.typ.class {
		case classInt, classNumeric:
			choices = append(choices, fmt.Sprintf("sum(%s)", n), fmt.Sprintf("sum(%s), count(%s), avg(%s)", n, n, n), fmt.Sprintf("sum(DISTINCT %s)", n), fmt.Sprintf("sum(%s::numeric * 2)", n))
		case classInterval:
			choices = append(choices, fmt.Sprintf("sum(%s)", n), fmt.Sprintf("avg(%s)", n))
		case classBool:
			choices = append(choices, fmt.Sprintf("bool_and(%s), every(%s), bool_or(%s)", n, n, n))
		case classText:
			choices = append(choices, fmt.Sprintf("string_agg(%s, ',' ORDER BY %s)", n, g.keyOrder()))
		}
		list = append(list, g.pick(choices))
	}
	return strings.Join(list, ", ")
}
