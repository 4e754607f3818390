package random

import (
	"fmt"
	"strings"
)

// Statement is one statement and how its rows compare.
type Statement struct {
	SQL     string
	Ordered bool // rows come in an order that the statement fixes
	Query   bool
}

// Next makes the next statement: rows first, then mostly queries.
func (g *Gen) Next(i int) Statement {
	switch {
	case i < 5 || g.r.IntN(12) == 0:
		return g.insert()
	case g.r.IntN(14) == 0:
		return g.update()
	case g.r.IntN(20) == 0:
		return Statement{SQL: fmt.Sprintf("DELETE FROM %s WHERE %s", g.Table.Name, g.cond(2))}
	case g.r.IntN(4) == 0:
		return g.aggregate()
	}
	return g.query()
}

// insert writes several rows, or one: a statement that may fail writes one row
// only, as several are not atomic on every store.
func (g *Gen) insert() Statement {
	n := 1
	if g.r.IntN(3) > 0 {
		n += g.r.IntN(12)
	}
	var rows []string
	for range n {
		var vs []string
		for _, c := range g.Table.Key {
			vs = append(vs, g.value(c))
		}
		for _, c := range g.Table.Others {
			if g.r.IntN(4) == 0 {
				vs = append(vs, "NULL")
			} else {
				vs = append(vs, g.value(c))
			}
		}
		rows = append(rows, "("+strings.Join(vs, ", ")+")")
	}
	sql := fmt.Sprintf("INSERT INTO %s VALUES %s", g.Table.Name, strings.Join(rows, ", "))
	switch {
	case n == 1 && g.r.IntN(3) == 0: // an error where the key exists
	case n == 1 && g.r.IntN(2) == 0:
		c := g.Table.Others[0].Name
		sql += fmt.Sprintf(" ON CONFLICT (%s) DO UPDATE SET %s = excluded.%s", g.names(g.Table.Key), c, c)
	default:
		sql += " ON CONFLICT DO NOTHING"
	}
	return Statement{SQL: sql}
}

func (g *Gen) names(cols []Column) string {
	var out []string
	for _, c := range cols {
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}

func (g *Gen) value(c Column) string { return g.pick(c.typ.values) }

func (g *Gen) update() Statement {
	c := g.Table.Others[g.r.IntN(len(g.Table.Others))]
	v := g.value(c)
	if c.typ.num && g.r.IntN(2) == 0 && c.typ.decl != "DOUBLE PRECISION" {
		v = fmt.Sprintf("CASE WHEN %s < 100 THEN %s + 1 ELSE 0 END", c.Name, c.Name)
	}
	return Statement{SQL: fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s", g.Table.Name, c.Name, v, g.cond(2))}
}

func (g *Gen) query() Statement {
	t := g.Table
	out := "*"
	if g.r.IntN(2) == 0 {
		cols := t.columns()
		var pick []string
		for range 1 + g.r.IntN(3) {
			pick = append(pick, cols[g.r.IntN(len(cols))].Name)
		}
		out = strings.Join(pick, ", ")
	}
	sql := fmt.Sprintf("SELECT %s FROM %s", out, t.Name)
	if g.r.IntN(8) > 0 {
		sql += " WHERE " + g.cond(3)
	}
	switch g.r.IntN(4) {
	case 0: // no order: the rows compare as a set
		return Statement{SQL: sql, Query: true}
	case 1: // by another column first: a sort, made total by the key
		c := t.Others[g.r.IntN(len(t.Others))]
		sql += " ORDER BY " + c.Name + g.pick([]string{"", " DESC", " NULLS FIRST", " DESC NULLS LAST"}) + ", " + g.names(t.Key)
	default:
		sql += " ORDER BY " + g.keyOrder()
	}
	if g.r.IntN(2) == 0 {
		sql += fmt.Sprintf(" LIMIT %d", g.r.IntN(12))
	}
	if g.r.IntN(4) == 0 {
		sql += fmt.Sprintf(" OFFSET %d", g.r.IntN(6))
	}
	return Statement{SQL: sql, Ordered: true, Query: true}
}

// keyOrder orders by the whole key: as stored, reversed, or at random.
func (g *Gen) keyOrder() string {
	mode := g.r.IntN(3)
	var out []string
	for _, c := range g.Table.Key {
		desc := c.Desc
		switch mode {
		case 1:
			desc = !desc
		case 2:
			desc = g.r.IntN(2) == 0
		}
		if desc {
			out = append(out, c.Name+" DESC")
		} else {
			out = append(out, c.Name)
		}
	}
	return strings.Join(out, ", ")
}

func (g *Gen) aggregate() Statement {
	t := g.Table
	cols := t.columns()
	c := cols[g.r.IntN(len(cols))]
	agg := fmt.Sprintf("count(*), count(%s)", c.Name)
	if c.typ.decl != "BOOLEAN" && c.typ.decl != "UUID" && c.typ.decl != "BYTEA" {
		agg += fmt.Sprintf(", min(%s), max(%s)", c.Name, c.Name)
	}
	if c.typ.num && c.typ.decl != "DOUBLE PRECISION" {
		agg += fmt.Sprintf(", sum(%s), avg(%s)", c.Name, c.Name)
	}
	where := ""
	if g.r.IntN(3) > 0 {
		where = " WHERE " + g.cond(2)
	}
	switch g.r.IntN(4) {
	case 0:
		return Statement{SQL: fmt.Sprintf("SELECT %s FROM %s%s", agg, t.Name, where), Query: true, Ordered: true}
	case 1:
		k := g.names(t.Key[:1+g.r.IntN(len(t.Key))])
		return Statement{SQL: fmt.Sprintf("SELECT %s, %s FROM %s%s GROUP BY %s ORDER BY %s", k, agg, t.Name, where, k, k), Query: true, Ordered: true}
	case 2:
		k := cols[g.r.IntN(len(cols))].Name
		return Statement{SQL: fmt.Sprintf("SELECT DISTINCT %s FROM %s%s", k, t.Name, where), Query: true}
	}
	k := cols[g.r.IntN(len(cols))].Name
	return Statement{SQL: fmt.Sprintf("SELECT %s, %s FROM %s%s GROUP BY %s HAVING count(*) > %d", k, agg, t.Name, where, k, g.r.IntN(3)), Query: true}
}
