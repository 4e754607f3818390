package random

import (
	"fmt"
	"strings"
)

// cond makes a condition of at most the given depth. Key columns come twice as
// often as others.
func (g *Gen) cond(depth int) string {
	if depth > 0 {
		switch g.r.IntN(6) {
		case 0, 1:
			return g.cond(depth-1) + " AND " + g.cond(depth-1)
		case 2:
			return "(" + g.cond(depth-1) + " OR " + g.cond(depth-1) + ")"
		case 3:
			if g.r.IntN(3) == 0 {
				return "NOT (" + g.cond(depth-1) + ")"
			}
		}
	}
	if len(g.Table.Key) > 1 && g.r.IntN(8) == 0 {
		return g.rowCond()
	}
	cols := append(g.Table.columns(), g.Table.Key...)
	return g.simple(cols[g.r.IntN(len(cols))])
}

func (g *Gen) simple(c Column) string {
	op := g.pick([]string{"=", "=", "<", "<=", ">", ">=", "<>"})
	switch g.r.IntN(10) {
	case 0:
		return fmt.Sprintf("%s BETWEEN %s AND %s", c.Name, g.value(c), g.value(c))
	case 1, 2:
		var list []string
		for range 1 + g.r.IntN(4) {
			list = append(list, g.value(c))
		}
		if g.r.IntN(8) == 0 {
			list = append(list, "NULL")
		}
		return fmt.Sprintf("%s %sIN (%s)", c.Name, g.pick([]string{"", "", "", "NOT "}), strings.Join(list, ", "))
	case 3:
		return fmt.Sprintf("%s IS %sNULL", c.Name, g.pick([]string{"", "NOT "}))
	case 4:
		if c.typ.text {
			return fmt.Sprintf("%s %sLIKE %s", c.Name, g.pick([]string{"", "", "NOT "}), g.pick([]string{"'a%'", "'%b'", "'_b%'", "'a'", "''", "'%'", `'b\%%'`}))
		}
		if c.typ.ints {
			return fmt.Sprintf("%s %s %s", c.Name, op, g.pick([]string{"1.5", "2.0", "3000000000", "-1e3", "0"}))
		}
	case 5:
		if c.typ.ints {
			return fmt.Sprintf("%s %% 2 %s %d", c.Name, op, g.r.IntN(2))
		}
	case 6:
		return fmt.Sprintf("%s %s %s", g.value(c), op, c.Name)
	}
	return fmt.Sprintf("%s %s %s", c.Name, op, g.value(c))
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
		cols = g.Table.Key[:2]
	}
	row := func() string {
		var vs []string
		for _, c := range cols {
			vs = append(vs, g.value(c))
		}
		return "(" + strings.Join(vs, ", ") + ")"
	}
	if g.r.IntN(3) == 0 {
		var rows []string
		for range 1 + g.r.IntN(3) {
			rows = append(rows, row())
		}
		return fmt.Sprintf("(%s) IN (%s)", g.names(cols), strings.Join(rows, ", "))
	}
	return fmt.Sprintf("(%s) %s %s", g.names(cols), g.pick([]string{"<", "<=", ">", ">=", "="}), row())
}
