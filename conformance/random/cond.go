package random

import (
	"fmt"
	"strings"
)

// where makes the conditions of a WHERE clause.
func (g *Gen) where(depth int) []string {
	if g.one(3) { // the key alone: spans that need no filter
		list := []string{g.keyCond()}
		if g.one(4) {
			list = append(list, g.keyCond())
		}
		return list
	}
	list := []string{g.cond(depth)}
	for g.one(3) && len(list) < 4 {
		list = append(list, g.cond(depth))
	}
	// A range, a gap or a contradiction of one column.
	if g.one(4) {
		c := g.Table.Key[g.r.IntN(len(g.Table.Key))]
		list = append(list, g.compare(c), g.compare(c))
	}
	return list
}

// cond makes a condition of at most the given depth. Key columns come twice as
// often as others.
func (g *Gen) cond(depth int) string {
	if depth > 0 {
		switch g.r.IntN(7) {
		case 0:
			return "(" + g.cond(depth-1) + " AND " + g.cond(depth-1) + ")"
		case 1, 2:
			return g.form("OR") + "(" + g.cond(depth-1) + " OR " + g.cond(depth-1) + ")"
		case 3:
			if g.one(2) {
				return g.form("NOT") + "(NOT " + g.cond(depth-1) + ")"
			}
		case 4:
			if g.one(4) {
				return fmt.Sprintf("((%s) IS %s)", g.cond(depth-1), g.pick([]string{"TRUE", "NOT TRUE", "FALSE", "NOT FALSE", "UNKNOWN", "NOT NULL"}))
			}
		}
	}
	if len(g.Table.Key) > 1 && g.one(7) {
		return g.rowCond()
	}
	if g.one(5) {
		return g.keyCond()
	}
	cols := append(g.Table.columns(), g.Table.Key...)
	c := cols[g.r.IntN(len(cols))]
	if g.one(3) {
		if s := g.classCond(c); s != "" {
			return s
		}
	}
	return g.simple(c)
}

var comparisons = []string{"=", "=", "=", "<", "<=", ">", ">=", "<>"}

func (g *Gen) op() string { return g.pick(comparisons) }

func (g *Gen) compare(c Column) string {
	if c.typ.class == classJSONText {
		return c.Name + " IS NOT NULL"
	}
	if g.one(6) {
		return fmt.Sprintf("%s %s %s", g.probe(c), g.op(), c.Name)
	}
	return fmt.Sprintf("%s %s %s", c.Name, g.op(), g.probe(c))
}

// simple is a condition that columns of every type take.
func (g *Gen) simple(c Column) string {
	n := c.Name
	if c.typ.class == classJSONText {
		return g.pick([]string{n + " IS NULL", n + " IS NOT NULL", n + " ->> 'a' = '1'", n + " ->> 0 IS NULL", n + "::text = '[1,2]'"})
	}
	switch g.r.IntN(18) {
	case 0, 1:
		return g.form("BETWEEN") + fmt.Sprintf("%s %sBETWEEN %s%s AND %s", n, g.pick([]string{"", "", "NOT "}), g.pick([]string{"", "", "SYMMETRIC "}), g.probe(c), g.probe(c))
	case 2, 3, 4:
		var list []string
		for range 1 + g.r.IntN(5) {
			list = append(list, g.probe(c))
		}
		if g.one(8) {
			list = append(list, "NULL")
		}
		return g.form("IN list") + fmt.Sprintf("%s %sIN (%s)", n, g.pick([]string{"", "", "", "NOT "}), strings.Join(list, ", "))
	case 5:
		return g.form("IS NULL") + fmt.Sprintf("%s IS %sNULL", n, g.pick([]string{"", "NOT "}))
	case 6:
		return g.form("IS DISTINCT FROM") + fmt.Sprintf("%s IS %sDISTINCT FROM %s", n, g.pick([]string{"", "NOT "}), g.orNull(c))
	case 7, 8:
		if c.typ.class == classArray {
			break
		}
		return g.form("= ANY") + fmt.Sprintf("%s %s %s(%s)", n, g.pick([]string{"=", "=", "=", "<>", "<", ">="}), g.pick([]string{"ANY", "ANY", "ANY", "ALL"}), g.array(c))
	case 9:
		return fmt.Sprintf("COALESCE(%s, %s) %s %s", n, g.val(c), g.op(), g.probe(c))
	case 10:
		return fmt.Sprintf("CASE WHEN %s THEN %s ELSE %s END %s %s", g.compare(c), n, g.val(c), g.op(), g.probe(c))
	case 11:
		return fmt.Sprintf("NULLIF(%s, %s) IS %sNULL", n, g.val(c), g.pick([]string{"", "NOT "}))
	case 12:
		for _, d := range g.Table.columns() {
			if d.typ.oid == c.typ.oid && d.Name != n && g.one(2) {
				return fmt.Sprintf("%s %s %s", n, g.op(), d.Name)
			}
		}
		if g.one(3) {
			return fmt.Sprintf("%s %s NULL", n, g.op())
		}
	}
	return g.compare(c)
}

func (g *Gen) orNull(c Column) string {
	if g.one(4) {
		return "NULL"
	}
	return g.probe(c)
}

// rowCond compares rows of key columns, in key order or with holes.
func (g *Gen) rowCond() string {
	var cols []Column
	for _, c := range g.Table.Key {
		if g.r.IntN(4) > 0 {
			cols = append(cols, c)
		}
	}
	if len(cols) < 2 {
		cols = append([]Column(nil), g.Table.Key[:2]...)
	}
	form := "row comparison"
	switch last := cols[len(cols)-1].Name; {
	case last != g.Table.Key[len(cols)-1].Name:
		form = "row comparison with a hole"
	case len(cols) == len(g.Table.Key):
		form = "row comparison of the whole key"
	}
	if g.one(6) {
		cols[0], cols[1] = cols[1], cols[0]
		form = "row comparison out of order"
	}
	row := func() string {
		var vs []string
		for _, c := range cols {
			vs = append(vs, g.probe(c))
		}
		return "(" + strings.Join(vs, ", ") + ")"
	}
	if g.one(3) {
		var rows []string
		for range 1 + g.r.IntN(4) {
			rows = append(rows, row())
		}
		return g.form(strings.Replace(form, "comparison", "IN", 1)) + fmt.Sprintf("(%s) %sIN (%s)", names(cols), g.pick([]string{"", "", "", "NOT "}), strings.Join(rows, ", "))
	}
	return g.form(form) + fmt.Sprintf("(%s) %s %s", names(cols), g.pick([]string{"<", "<=", ">", ">=", "=", "<>"}), row())
}

func names(cols []Column) string {
	var out []string
	for _, c := range cols {
		out = append(out, c.Name)
	}
	return strings.Join(out, ", ")
}
