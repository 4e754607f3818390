package random

import (
	"fmt"
	"strings"
)

// grow fills the table with more rows than a batch or a first page holds.
// Which of rows with equal keys is written first is fixed.
func (g *Gen) grow() Statement {
	t := g.Table
	var exprs []string
	cols := append([]Column(nil), t.Key...)
	for _, c := range t.Others {
		if g.r.IntN(3) > 0 || c.NotNull {
			cols = append(cols, c)
		}
	}
	n := 200 + g.r.IntN(1500)
	every := 1
	for _, c := range cols {
		exprs = append(exprs, g.numbered(c, &every))
	}
	return Statement{
		Head: g.form("many rows") + fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM generate_series(1, %d) AS g(i)", t.Name, names(cols), strings.Join(exprs, ", "), n),
		Tail: " ON CONFLICT DO NOTHING",
	}
}

// numbered is an expression over the number i that takes the column's values.
// Columns change at different paces, so that keys differ.
func (g *Gen) numbered(c Column, every *int) string {
	v := c.typ.values
	switch {
	case c.typ.class == classArray:
		return c.typ.lit(g.pick(v))
	case c.typ.class == classInt && v[len(v)-1] != "127" && g.one(2):
		return fmt.Sprintf("CAST(i %% %d AS %s)", 50+g.r.IntN(2000), c.typ.plain)
	case c.typ.class == classText && c.typ.decl != "VARCHAR(3)" && g.one(2):
		return fmt.Sprintf("%s || i / %d", g.pick([]string{"'a'", "'b%'", "''", "'é'"}), 1+g.r.IntN(3))
	case c.typ.class == classDate && g.one(2):
		return "date '2023-12-01' + i"
	case c.typ.class == classTimestamp && g.one(2):
		return fmt.Sprintf("CAST('2023-12-31 20:00:00' AS %s) + i * interval '7 minutes'", c.typ.plain)
	case c.typ.class == classNumeric && g.one(2):
		return "CAST(i / 4 AS numeric)"
	}
	var list []string
	for _, s := range v {
		list = append(list, c.typ.lit(s))
	}
	e := fmt.Sprintf("(ARRAY[%s]::%s[])[1 + i / %d %% %d]", strings.Join(list, ", "), c.typ.plain, *every, len(v))
	*every *= len(v)
	if *every > 1000 {
		*every = 1
	}
	return e
}
