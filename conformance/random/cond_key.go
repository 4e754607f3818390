package random

import (
	"fmt"
	"strings"
)

// keyCond is a condition on columns of the key: what spans, points, skips and
// pages are made of.
func (g *Gen) keyCond() string {
	key := g.Table.Key
	switch g.r.IntN(15) {
	case 0, 9:
		return g.points()
	case 1, 2:
		return g.someBound()
	case 3:
		return g.smallRanges()
	case 4:
		if len(key) > 1 {
			return g.unbound()
		}
	case 5:
		if len(key) > 1 {
			return g.page()
		}
	case 6:
		return g.gap(key[g.r.IntN(len(key))])
	case 7:
		return g.meeting(key[g.r.IntN(len(key))])
	case 8:
		if s := g.largeArray(key[g.r.IntN(len(key))]); s != "" {
			return s
		}
	case 10, 12:
		var cols []Column // whose types have predicates that are ranges in other words
		for _, c := range key {
			switch c.typ.class {
			case classText, classChar, classDate, classTimestamp:
				cols = append(cols, c)
			}
		}
		if len(cols) == 0 {
			cols = key
		}
		if s := g.classCond(cols[g.r.IntN(len(cols))]); s != "" {
			return s
		}
	case 11:
		if len(key) > 1 {
			return g.rowCond()
		}
	}
	return g.prefix()
}

// bound binds a column to one value or a few.
func (g *Gen) bound(c Column) string {
	switch g.r.IntN(5) {
	case 0:
		return fmt.Sprintf("%s IN (%s, %s)", c.Name, g.val(c), g.val(c))
	case 1:
		return fmt.Sprintf("(%s = %s OR %s = %s)", c.Name, g.val(c), c.Name, g.val(c))
	case 2:
		if c.typ.array != 0 {
			return fmt.Sprintf("%s = ANY(%s)", c.Name, g.array(c))
		}
	}
	return c.Name + " = " + g.val(c)
}

// and joins conditions, and says what form they make.
func (g *Gen) and(form string, list []string) string {
	return g.form(form) + "(" + strings.Join(list, " AND ") + ")"
}

// points binds every column of the key.
func (g *Gen) points() string {
	var list []string
	lists := g.one(2)
	for _, c := range g.Table.Key {
		if lists {
			list = append(list, g.bound(c))
		} else {
			list = append(list, c.Name+" = "+g.val(c))
		}
	}
	if lists {
		return g.and("all key columns =, IN", list)
	}
	return g.and("all key columns =", list)
}

// someBound binds some columns of the key, which may be those that are hashed.
func (g *Gen) someBound() string {
	var list []string
	for _, i := range g.r.Perm(len(g.Table.Key)) {
		if len(list) == 0 || g.one(2) {
			list = append(list, g.bound(g.Table.Key[i]))
		}
	}
	return g.and("some key columns =, IN", list)
}

// smallRanges gives columns with few values between two others a range, and
// binds others.
func (g *Gen) smallRanges() string {
	var list []string
	for _, c := range g.Table.Key {
		n := c.Name
		lo := g.r.IntN(5)
		switch {
		case c.typ.class == classInt:
			list = append(list, g.pick([]string{
				fmt.Sprintf("%s BETWEEN %d AND %d", n, lo, lo+g.r.IntN(4)),
				fmt.Sprintf("%s >= %d AND %s < %d", n, lo, n, lo+1+g.r.IntN(4)),
				fmt.Sprintf("%s > %d AND %s <= %d", n, lo-1, n, lo+1),
			}))
		case c.typ.class == classDate:
			list = append(list, g.pick([]string{
				fmt.Sprintf("%s BETWEEN '2024-02-%d' AND '2024-03-01'", n, 27+lo/2),
				fmt.Sprintf("%s >= '1969-12-31' AND %s < '1970-01-0%d'", n, n, 1+lo),
			}))
		case c.typ.class == classBool:
			list = append(list, g.pick([]string{n + " >= false", n + " < true", n + " > false"}))
		case g.one(2):
			list = append(list, g.bound(c))
		}
	}
	if len(list) == 0 {
		return g.prefix()
	}
	return g.and("small ranges of key columns", list)
}

// prefix binds the first columns of the key and ranges over the next.
func (g *Gen) prefix() string {
	var list []string
	key := g.Table.Key
	n := g.r.IntN(len(key) + 1)
	form := "key prefix =, then range"
	for i, c := range key[:n] {
		if i > 0 && g.one(8) {
			form = "key columns with a hole"
			continue
		}
		s := g.bound(c)
		if !strings.HasPrefix(s, c.Name+" = ") && form != "key columns with a hole" {
			form = "key prefix IN, then range"
		}
		list = append(list, s)
	}
	if n < len(key) {
		list = append(list, g.compare(key[n]))
	}
	return g.and(form, list)
}

// unbound leaves the first column of the key free.
func (g *Gen) unbound() string {
	var list []string
	for _, c := range g.Table.Key[1:] {
		if len(list) == 0 || g.one(3) {
			if g.one(2) {
				list = append(list, g.bound(c))
			} else {
				list = append(list, g.compare(c))
			}
		}
	}
	return g.and("first key column free", list)
}

// page is the rows behind one in an order of the key's columns, each up or
// down, as a tree of OR: the same as a row comparison where all go one way.
func (g *Gen) page() string {
	cols := g.Table.Key[:1+g.r.IntN(len(g.Table.Key))]
	if len(cols) < 2 {
		cols = g.Table.Key[:2]
	}
	var ors, equal []string
	mode := g.r.IntN(3)
	for i, c := range cols {
		v := g.val(c)
		op := " > "
		if mode == 1 && c.Desc || mode == 2 && g.one(2) {
			op = " < "
		}
		if i == len(cols)-1 && g.one(4) {
			op = strings.TrimSuffix(op, " ") + "= "
		}
		ors = append(ors, "("+strings.Join(append(equal[:len(equal):len(equal)], c.Name+op+v), " AND ")+")")
		equal = append(equal, c.Name+" = "+v)
	}
	return g.form("paging as OR") + "(" + strings.Join(ors, " OR ") + ")"
}

// gap leaves values out of a column.
func (g *Gen) gap(c Column) string {
	form := "key column <>, NOT IN"
	if c.Name == g.Table.Key[0].Name {
		form = "first key column <>, NOT IN"
	}
	n := c.Name
	return g.form(form) + g.pick([]string{
		fmt.Sprintf("%s <> %s", n, g.val(c)),
		fmt.Sprintf("(%s <> %s AND %s <> %s)", n, g.val(c), n, g.val(c)),
		fmt.Sprintf("%s NOT IN (%s, %s)", n, g.val(c), g.val(c)),
		fmt.Sprintf("%s NOT BETWEEN %s AND %s", n, g.val(c), g.val(c)),
		fmt.Sprintf("NOT (%s = %s OR %s > %s)", n, g.val(c), n, g.val(c)),
		fmt.Sprintf("(%s < %s OR %s > %s)", n, g.val(c), n, g.val(c)),
	})
}

// meeting is two ranges of a column that touch, overlap or contradict.
func (g *Gen) meeting(c Column) string {
	n, v := c.Name, g.val(c)
	if g.one(2) {
		return g.form("contradiction, or one value") + g.pick([]string{
			fmt.Sprintf("(%s > %s AND %s < %s)", n, v, n, v),
			fmt.Sprintf("(%s >= %s AND %s <= %s)", n, v, n, v),
			fmt.Sprintf("(%s = %s AND %s <> %s)", n, v, n, v),
			fmt.Sprintf("(%s = %s AND %s = %s)", n, v, n, g.val(c)),
			fmt.Sprintf("(%s > %s AND %s IN (%s, %s))", n, v, n, v, g.val(c)),
		})
	}
	return g.form("ranges that touch") + g.pick([]string{
		fmt.Sprintf("(%s < %s OR %s >= %s)", n, v, n, v),
		fmt.Sprintf("(%s < %s OR %s = %s)", n, v, n, v),
		fmt.Sprintf("(%s < %s OR %s > %s)", n, v, n, v),
		fmt.Sprintf("(%s <= %s OR %s BETWEEN %s AND %s)", n, v, n, v, g.val(c)),
		fmt.Sprintf("(%s IN (%s, %s) OR %s > %s)", n, v, g.val(c), n, v),
	})
}

// largeArray is = ANY of many values; "" where the type has too few.
func (g *Gen) largeArray(c Column) string {
	size := []int{60, 300, 1000}[g.r.IntN(3)]
	if g.one(12) {
		size = 10_000
	}
	var value func(i int) string
	switch {
	case c.typ.class == classInt && c.typ.values[len(c.typ.values)-1] == "127": // narrow
		value = func(i int) string { return fmt.Sprint(i % 128) }
	case c.typ.class == classInt:
		step := 1 + g.r.IntN(3)
		value = func(i int) string { return fmt.Sprint(i * step) }
	case c.typ.class == classNumeric:
		value = func(i int) string { return fmt.Sprintf("%d.%d", i/2, i%2*5) }
	case c.typ.class == classText && c.typ.decl != "VARCHAR(3)":
		value = func(i int) string { return fmt.Sprintf("%c%d", 'a'+i%26, i/26) }
	case c.typ.class == classUUID:
		value = func(i int) string { return fmt.Sprintf("00000000-0000-0000-0000-%012x", i) }
	default:
		return ""
	}
	a := arg{typ: c.typ, oid: c.typ.array}
	for range sets {
		list := make([]*string, size)
		for i := range list {
			v := value(i)
			if i%50 == 0 {
				v = g.pick(c.typ.values)
			}
			list[i] = &v
		}
		text := arrayText(list)
		a.vals = append(a.vals, &text)
	}
	a.lit = quote(*a.vals[0])
	return g.form("= ANY of many") + fmt.Sprintf("%s = ANY(%s)", c.Name, g.mark(a))
}
