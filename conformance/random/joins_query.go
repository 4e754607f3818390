package random

import (
	"fmt"
	"strings"
)

// Query makes a query.
func (g *Joins) Query() string {
	g.start(0)
	text, _ := g.query(nil)
	return text
}

func (g *Joins) start(depth int) {
	g.names, g.depth = 0, depth
	g.r.taken = nil
}

// query makes a query of any form; outer are relations around it. It gives its columns as a
// relation without a name.
func (g *Joins) query(outer []from) (string, from) {
	g.depth++
	defer func() { g.depth-- }()
	k := g.r.IntN(30)
	if g.depth >= 3 {
		k %= 8
	}
	if k >= 20 {
		return g.form(k, outer)
	}
	switch k {
	case 3:
		return g.grouped(outer)
	case 4:
		return g.distinct(outer)
	case 5, 8:
		return g.windowed(outer)
	case 6, 9:
		return g.groupingSets(outer)
	case 7:
		return g.distinctOn(outer)
	case 10, 11:
		return g.setOperation(outer)
	case 12, 13:
		return g.with(outer)
	case 14, 15:
		return g.recursive(outer)
	case 16, 17:
		return g.first(outer)
	}
	return g.plain(outer)
}

// body makes FROM and WHERE.
func (g *Joins) body(outer []from) ([]from, string) {
	rels, clause := g.from(outer)
	where := ""
	if g.r.IntN(3) > 0 {
		where = " WHERE " + g.cond(rels, outer)
	}
	// What an outer join found no match for.
	if n := len(rels); g.keyed && n > 0 && len(rels[n-1].keys) > 0 && strings.Contains(clause, "LEFT JOIN") && g.one(3) {
		where = fmt.Sprintf(" WHERE %s.%s IS NULL", rels[n-1].name, rels[n-1].keys[0])
	}
	return rels, " FROM " + clause + where
}

// selected is a list of expressions with their names.
type selected struct {
	list []string
	from
}

func (s *selected) int(e string) {
	c := fmt.Sprintf("c%d", len(s.list)+1)
	s.list, s.ints = append(s.list, e+" AS "+c), append(s.ints, c)
}

func (s *selected) text(e string) {
	c := fmt.Sprintf("c%d", len(s.list)+1)
	s.list, s.texts = append(s.list, e+" AS "+c), append(s.texts, c)
}

func (s *selected) String() string { return strings.Join(s.list, ", ") }

func (g *Joins) plain(outer []from) (string, from) {
	rels, body := g.body(outer)
	var s selected
	for range 1 + g.r.IntN(3) {
		s.int(g.value(rels, outer))
	}
	if g.one(3) {
		s.text(g.textValue(rels, outer))
	}
	// The key of a table goes up, by which the rows are known apart.
	if key, known := identity(rels); known && len(rels) == 1 && len(rels[0].texts)+len(key) < 4 && g.one(3) && rels[0].table != "jd" {
		for _, k := range key {
			s.int(k)
			s.keys = append(s.keys, s.ints[len(s.ints)-1])
		}
		s.known = true
	}
	return "SELECT " + s.String() + body, s.from
}

func (g *Joins) grouped(outer []from) (string, from) {
	rels, body := g.body(outer)
	var s selected
	var by []string
	group := func(e string, text bool) {
		if text {
			s.text(e)
		} else {
			s.int(e)
		}
		s.keys, by = append(s.keys, fmt.Sprintf("c%d", len(s.list))), append(by, e)
	}
	s.known = true
	for range g.r.IntN(3) {
		e := g.intCol(rels)
		if g.one(4) {
			e = fmt.Sprintf("%s %% %d", g.whole(rels), 2+g.r.IntN(2))
		}
		group(e, false)
	}
	if e := g.textCol(rels); e != "" && g.one(4) {
		group(e, true)
	}
	if g.one(8) {
		group(g.value(rels, outer), false)
		by[len(by)-1] = fmt.Sprint(len(s.list))
	}
	for range 1 + g.r.IntN(2) {
		s.int(g.agg(rels, outer))
	}
	if g.one(3) {
		s.text(g.textAgg(rels, outer))
	}
	text := "SELECT " + s.String() + body
	if len(by) > 0 {
		text += " GROUP BY " + strings.Join(by, ", ")
	}
	return text + g.having(rels, outer), s.from
}

func (g *Joins) having(rels, outer []from) string {
	switch g.r.IntN(6) {
	case 3:
		return fmt.Sprintf(" HAVING count(*) > %d", g.r.IntN(3))
	case 4:
		return fmt.Sprintf(" HAVING %s IS DISTINCT FROM %d", g.agg(rels, outer), g.r.IntN(4))
	case 5:
		if g.depth < 3 {
			return fmt.Sprintf(" HAVING %s %s %s", g.agg(rels, outer), g.pick("<", ">=", "<>"), g.scalar(outer))
		}
	}
	return ""
}

func (g *Joins) distinct(outer []from) (string, from) {
	rels, body := g.body(outer)
	var s selected
	s.int(g.value(rels, outer))
	if g.r.IntN(2) == 1 {
		s.int(g.intCol(rels))
	}
	if e := g.textCol(rels); e != "" && g.one(3) {
		s.text(e)
	}
	if g.one(8) {
		s.text(rels[0].name + "::text")
	}
	s.keys, s.known = both2(s.ints, s.texts), true
	return "SELECT DISTINCT " + s.String() + body, s.from
}

func both2(a, b []string) []string { return append(append([]string(nil), a...), b...) }

// distinctOn is DISTINCT ON in an order that tells all rows apart.
func (g *Joins) distinctOn(outer []from) (string, from) {
	rels, body := g.body(outer)
	key, known := identity(rels)
	if !known {
		return g.plainOf(rels, outer, body)
	}
	on := g.intCol(rels)
	if g.one(3) {
		on += ", " + g.intCol(rels)
	}
	var s selected
	for range 1 + g.r.IntN(3) {
		s.int(g.value(rels, outer))
	}
	order := g.directions(append(strings.Split(on, ", "), g.intCol(rels)), key)
	return fmt.Sprintf("SELECT DISTINCT ON (%s) %s%s ORDER BY %s%s", on, s.String(), body, order, g.limit()), s.from
}

func (g *Joins) plainOf(rels, outer []from, body string) (string, from) {
	var s selected
	s.int(g.value(rels, outer))
	return "SELECT " + s.String() + body, s.from
}

// directions orders by the expressions, and then by those of the key.
func (g *Joins) directions(list, key []string) string {
	var out []string
	for _, e := range both2(list, key) {
		out = append(out, e+g.pick("", "", " DESC", " DESC NULLS LAST", " NULLS FIRST"))
	}
	return strings.Join(out, ", ")
}

func (g *Joins) limit() string {
	switch g.r.IntN(9) {
	case 7:
		return " LIMIT " + g.pick("NULL", "ALL", "(SELECT least(count(*), 4) FROM ja)", "(SELECT max(x) FROM jc)", "2 + 1")
	case 8:
		return fmt.Sprintf(" OFFSET (SELECT count(*) FROM jc WHERE x = %d) LIMIT 4", g.r.IntN(6))
	case 3:
		return fmt.Sprintf(" LIMIT %d", (g.r.IntN(8)+1)%8)
	case 4:
		return fmt.Sprintf(" OFFSET %d", g.r.IntN(3))
	case 5:
		return fmt.Sprintf(" LIMIT %d OFFSET %d", 1+g.r.IntN(5), g.r.IntN(3))
	case 6:
		return fmt.Sprintf(" OFFSET %d ROWS FETCH NEXT %d ROWS ONLY", g.r.IntN(2), (g.r.IntN(5)+1)%5)
	}
	return ""
}

// first is a query of which some rows are taken: in an order by which rows that tie are
// the same, or with all that tie.
func (g *Joins) first(outer []from) (string, from) {
	rels, body := g.body(outer)
	var s selected
	for range 1 + g.r.IntN(3) {
		s.int(g.value(rels, outer))
	}
	var order []string
	for i := range s.list {
		order = append(order, fmt.Sprint(i+1))
	}
	for i := range order {
		j := g.r.IntN(len(order))
		order[i], order[j] = order[j], order[i]
	}
	text := "SELECT " + s.String() + body + " ORDER BY "
	key, known := identity(rels)
	switch g.r.IntN(4) {
	case 2:
		if known { // what is not put out
			return text + g.directions([]string{g.value(rels, outer)}, key) + g.limit(), s.from
		}
	case 3:
		return fmt.Sprintf("%s%s FETCH FIRST %d ROWS WITH TIES", text, g.directions(order[:1+g.r.IntN(len(order))], nil), 1+g.r.IntN(4)), s.from
	}
	return text + g.directions(order, nil) + g.limit(), s.from
}

// exactly is a query of n columns of whole numbers.
func (g *Joins) exactly(outer []from, n int) string {
	if g.depth < 3 && g.one(3) {
		if text, out := g.query(outer); len(out.ints) >= n {
			return fmt.Sprintf("SELECT %s FROM (%s) %s", strings.Join(out.ints[:n], ", "), text, g.name("d"))
		}
	}
	g.depth++
	defer func() { g.depth-- }()
	rels, body := g.body(outer)
	var list []string
	for range n {
		list = append(list, g.value(rels, outer))
	}
	word := "SELECT "
	if g.one(5) {
		word += "DISTINCT "
	}
	return word + strings.Join(list, ", ") + body
}

// setOperation is two to four queries under UNION, INTERSECT and EXCEPT, nested.
func (g *Joins) setOperation(outer []from) (string, from) {
	n := 1 + g.r.IntN(2)
	out := from{ints: []string{"c1", "c2"}[:n]}
	text := g.operation(outer, n, 0)
	switch g.r.IntN(4) {
	case 2:
		text += " ORDER BY " + g.directions([]string{"1", "2"}[:n], nil) + g.limit()
	case 3:
		text = fmt.Sprintf("%s ORDER BY %s FETCH FIRST %d ROWS WITH TIES", text, g.directions([]string{"1"}, nil), 1+g.r.IntN(3))
	}
	name := g.name("u")
	return fmt.Sprintf("SELECT * FROM (%s) %s(%s)", text, name, strings.Join(out.ints, ", ")), out
}

func (g *Joins) operation(outer []from, n, level int) string {
	operand := func() string {
		if level < 2 && g.one(4) {
			return "(" + g.operation(outer, n, level+1) + ")"
		}
		text := g.exactly(outer, n)
		if g.one(5) {
			return fmt.Sprintf("(%s ORDER BY %s LIMIT %d)", text, g.directions([]string{"1", "2"}[:n], nil), (g.r.IntN(6)+1)%6)
		}
		return text
	}
	text := operand()
	for range 1 + g.r.IntN(2) {
		text += " " + g.pick("UNION", "UNION ALL", "INTERSECT", "EXCEPT", "INTERSECT ALL", "EXCEPT ALL") + " " + operand()
	}
	return text
}

// with is a query over queries that have names.
func (g *Joins) with(outer []from) (string, from) {
	var defs []string
	var refs []from
	for range 1 + g.r.IntN(2) {
		name := g.name("w")
		body, out := g.query(outer)
		defs = append(defs, fmt.Sprintf("%s AS %s(%s)", name, g.pick("", "MATERIALIZED ", "NOT MATERIALIZED "), body))
		out.table = name
		refs = append(refs, out)
	}
	a := refs[len(refs)-1]
	a.name = g.name("a")
	text := a.table + " " + a.name
	rels := []from{a}
	for range g.r.IntN(3) {
		b := refs[g.r.IntN(len(refs))]
		b.name = g.name("b")
		text += fmt.Sprintf(" %s %s %s ON %s = %s", g.pick("JOIN", "LEFT JOIN", "FULL JOIN"), b.table, b.name, g.intCol(rels), g.intCol([]from{b}))
		rels = append(rels, b)
	}
	var s selected
	s.int(g.value(rels, outer))
	s.int(g.intCol(rels))
	return fmt.Sprintf("WITH %s SELECT %s FROM %s WHERE %s", strings.Join(defs, ", "), s.String(), text, g.cond(rels, outer)), s.from
}
