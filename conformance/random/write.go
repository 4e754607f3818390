package random

import (
	"fmt"
	"strings"
)

// A statement that may fail writes one row only: several are not atomic on
// every store.

// insert writes several rows, or one.
func (g *Gen) insert() Statement {
	t := g.Table
	n := 1
	if g.r.IntN(3) > 0 && g.bulk() {
		n += g.r.IntN(12)
	}
	bad := n == 1 && g.one(12) // of two reasons to fail, it is not fixed which is told
	fail := n == 1 && !bad && g.one(6)
	cols := t.columns()
	head := "INSERT INTO " + t.Name
	if g.one(4) { // not all columns, in another order
		cols = append([]Column(nil), t.Key...)
		if fail && g.one(2) {
			cols = cols[1:]
		}
		for _, c := range t.Others {
			if g.one(2) || c.NotNull && c.Default == "" && !fail {
				cols = append([]Column{c}, cols...)
			}
		}
		if len(cols) == 0 {
			cols = t.Key
		}
		head += " (" + names(cols) + ")"
	}
	// A NULL for the key is refused when a statement is planned, in Postgres when
	// it runs.
	s := Statement{Head: head + " VALUES ", literal: fail || bad}
	for range n {
		s.Rows = append(s.Rows, g.row(cols, fail, bad))
	}
	switch {
	case n == 1 && g.one(3): // an error where the key exists
	case n == 1 && g.one(2):
		c := t.Others[0].Name
		target := "(" + names(t.Key) + ")"
		if g.one(4) {
			target = "ON CONSTRAINT r_pkey"
		}
		s.Tail = fmt.Sprintf(" ON CONFLICT %s DO UPDATE SET %s = excluded.%s", target, c, c)
		if g.one(3) {
			s.Tail += fmt.Sprintf(" WHERE %s.%s IS NULL", t.Name, c)
		}
	default:
		s.Tail = " ON CONFLICT DO NOTHING"
	}
	if g.one(6) {
		s.Tail += " RETURNING *"
		s.Query = true
	}
	return s
}

// row is a row of VALUES. It may fail for its NULLs, or for one value that its
// column refuses.
func (g *Gen) row(cols []Column, fail, bad bool) string {
	var vs []string
	at := -1
	if bad {
		at = g.r.IntN(len(cols))
	}
	for i, c := range cols {
		key := strings.HasPrefix(c.Name, "k")
		switch {
		case i == at && len(c.typ.bad) > 0:
			vs = append(vs, c.typ.lit(g.pick(c.typ.bad)))
		case !key && !c.NotNull && g.one(4), fail && g.one(4):
			vs = append(vs, "NULL")
		case c.Default != "" && g.one(6):
			vs = append(vs, "DEFAULT")
		case len(c.typ.forms) > 0 && g.one(6):
			vs = append(vs, c.typ.lit(g.pick(c.typ.forms)))
		case c.typ.class == classInt && g.one(20): // rounds to the next, and .5 away from 0
			vs = append(vs, g.pick([]string{"1.5", "2.4", "0.5", "1.6::float8", "2.5::float8", "1.49999"}))
		default:
			vs = append(vs, g.notNull(c))
		}
	}
	return "(" + strings.Join(vs, ", ") + ")"
}

// notNull is a value for a column that several rows of a statement may write.
func (g *Gen) notNull(c Column) string {
	before := len(g.args)
	v := g.val(c)
	for _, a := range g.args[before:] {
		for i, p := range a.vals {
			if p == nil {
				a.vals[i] = a.vals[0]
			}
		}
	}
	return v
}

// upsert writes rows of distinct keys. On Postgres, each is an INSERT.
func (g *Gen) upsert() Statement {
	t := g.Table
	cols := append([]Column(nil), t.Key...)
	var set []string
	for _, c := range t.Others {
		if g.r.IntN(3) > 0 || c.NotNull && c.Default == "" || g.checked() {
			c.Default = "" // its word would say something else on Postgres
			cols = append(cols, c)
			set = append(set, c.Name+" = excluded."+c.Name)
		}
	}
	s := Statement{Head: fmt.Sprintf("UPSERT INTO %s (%s) VALUES ", t.Name, names(cols))}
	act := "NOTHING"
	if len(set) > 0 {
		act = "UPDATE SET " + strings.Join(set, ", ")
	}
	n := 1
	if !g.checked() { // Postgres's are statements of their own
		n += g.r.IntN(3)
	}
	for range n {
		row := g.row(cols, false, false)
		s.Rows = append(s.Rows, row)
		s.Plain = append(s.Plain, fmt.Sprintf("INSERT INTO %s (%s) VALUES %s ON CONFLICT (%s) DO %s", t.Name, names(cols), row, names(t.Key), act))
	}
	return s
}

// onDuplicate is Phoenix's form of ON CONFLICT, for one row.
func (g *Gen) onDuplicate() Statement {
	t := g.Table
	cols := t.columns()
	row := g.row(cols, false, false)
	head := fmt.Sprintf("INTO %s (%s) VALUES ", t.Name, names(cols))
	ours, plain := "ON DUPLICATE KEY IGNORE", "ON CONFLICT DO NOTHING"
	if c := t.Others[g.r.IntN(len(t.Others))]; g.one(2) {
		v := "NULL"
		if c.NotNull || g.one(2) {
			v = g.notNull(c)
		}
		theirs := v
		if c.typ.class == classInt && g.one(2) {
			v = fmt.Sprintf("CASE WHEN %s < 100 THEN abs(%s %% 50) + 1 ELSE 0 END", c.Name, c.Name)
			theirs = strings.ReplaceAll(v, c.Name, t.Name+"."+c.Name)
		}
		ours = fmt.Sprintf("ON DUPLICATE KEY UPDATE %s = %s", c.Name, v)
		plain = fmt.Sprintf("ON CONFLICT (%s) DO UPDATE SET %s = %s", names(t.Key), c.Name, theirs)
	}
	return Statement{
		Head: g.form("ON DUPLICATE KEY") + "UPSERT " + head, Rows: []string{row}, Tail: " " + ours,
		Plain: []string{"INSERT " + head + row + " " + plain},
	}
}

func (g *Gen) update() Statement {
	t := g.Table
	var set []string
	for _, i := range g.r.Perm(len(t.Others))[:1+g.r.IntN(min(2, len(t.Others)))] {
		set = append(set, g.assignment(t.Others[i]))
	}
	s := Statement{Head: fmt.Sprintf("UPDATE %s SET %s", t.Name, strings.Join(set, ", ")), Where: g.where(1)}
	return g.returning(s)
}

func (g *Gen) assignment(c Column) string {
	n := c.Name
	v := g.notNull(c)
	if g.one(2) {
		switch c.typ.class {
		case classInt:
			v = fmt.Sprintf("CASE WHEN %s < 100 THEN abs(%s %% 50) + 1 ELSE 0 END", n, n)
		case classNumeric:
			v = fmt.Sprintf("CASE WHEN %s < 100 THEN -1 ELSE 2 END", n)
		case classText:
			v = fmt.Sprintf("left(%s, 1)", n)
		case classBool:
			v = "NOT " + n
		case classDate:
			v = n + " + 1"
		case classTimestamp:
			v = n + " + interval '1 day'"
		case classArray:
			v = n + " || " + n
		case classJSON:
			v = g.pick([]string{n + " || '[1]'", "CASE WHEN jsonb_typeof(" + n + ") = 'object' THEN " + n + " - 'a' END", "jsonb_build_array(" + n + ")", n + " -> 'b'"})
		}
	}
	switch {
	case c.typ.class == classArray && g.one(3):
		return g.part(c)
	case !c.NotNull && g.one(5):
		v = "NULL"
	case c.Default != "" && g.one(4):
		v = "DEFAULT"
	case !c.NotNull && g.one(4):
		for _, d := range g.Table.columns() {
			if d.typ == c.typ && d.Name != n {
				v = d.Name
			}
		}
	}
	return n + " = " + v
}

// part assigns to parts of an array that any value of the column has or can get: what fails for
// some rows only leaves the others written on Bigtable. (TestPartsOfDocuments has jsonb.)
func (g *Gen) part(c Column) string {
	n := g.form("SET of a part") + c.Name
	var target, v string
	end := "coalesce(array_length(" + c.Name + ", 1), 0)"
	elem := Column{Name: c.Name, typ: c.typ.elem}
	switch g.r.IntN(5) {
	case 0:
		target, v = n+"[1]", g.notNull(elem)
	case 1:
		target, v = fmt.Sprintf("%s[%s + 1]", n, end), g.notNull(elem)
	case 2:
		target, v = fmt.Sprintf("%s[CASE %s WHEN 0 THEN 1 ELSE %[2]s + %d END]", n, end, g.r.IntN(4)), g.notNull(elem)
	case 3:
		target, v = n+"[1:1]", fmt.Sprintf("ARRAY[CAST(%s AS %s)]", g.notNull(elem), c.typ.elem.plain)
	case 4:
		target, v = fmt.Sprintf("%s[greatest(%s, 1):%[2]s + 1]", n, end), fmt.Sprintf("ARRAY[CAST(%s AS %s), NULL]", g.notNull(elem), c.typ.elem.plain)
	}
	if !c.NotNull && g.one(6) {
		v = "NULL"
	}
	if g.one(4) {
		return target + " = " + v + ", " + g.part(c)
	}
	return target + " = " + v
}

// updateKey moves one row.
func (g *Gen) updateKey() Statement {
	t := g.Table
	c := t.Key[g.r.IntN(len(t.Key))]
	s := Statement{Head: fmt.Sprintf("UPDATE %s SET %s = %s", t.Name, c.Name, g.notNull(c))}
	if g.one(2) {
		s.Head += ", " + g.assignment(t.Others[0])
	}
	for _, k := range t.Key {
		s.Where = append(s.Where, k.Name+" = "+g.val(k))
	}
	return g.returning(s)
}

// updateOne changes one row, if there is one.
func (g *Gen) updateOne() Statement {
	t := g.Table
	s := Statement{Head: fmt.Sprintf("UPDATE %s SET %s", t.Name, g.assignment(t.Others[g.r.IntN(len(t.Others))]))}
	for _, k := range t.Key {
		s.Where = append(s.Where, k.Name+" = "+g.val(k))
	}
	return g.returning(s)
}

func (g *Gen) delete() Statement {
	s := Statement{Head: "DELETE FROM " + g.Table.Name, Where: g.where(1)}
	if g.one(3) { // few rows
		s.Where = append(s.Where, g.keyCond())
	}
	return g.returning(s)
}

func (g *Gen) returning(s Statement) Statement {
	if g.one(3) {
		s.Tail = " RETURNING " + g.output()
		s.Query = true
	}
	return s
}

// insertSelect copies rows to other keys, in an order that says which of equal
// keys is first.
func (g *Gen) insertSelect() Statement {
	t := g.Table
	swap := g.r.IntN(len(t.Key))
	var out []string
	for i, c := range t.Key {
		if i == swap {
			out = append(out, "CAST("+g.notNull(c)+" AS "+c.typ.plain+")")
		} else {
			out = append(out, c.Name)
		}
	}
	for _, c := range t.Others {
		out = append(out, c.Name)
	}
	if g.one(3) { // Phoenix's UPDATE
		c := t.Others[g.r.IntN(len(t.Others))]
		v := g.notNull(c)
		w := g.where(1)
		return Statement{
			Head:  fmt.Sprintf("UPSERT INTO %s (%s, %s) SELECT %s, %s FROM %s", t.Name, names(t.Key), c.Name, names(t.Key), v, t.Name),
			Where: w,
			Plain: []string{fmt.Sprintf("UPDATE %s SET %s = %s WHERE %s", t.Name, c.Name, v, strings.Join(w, " AND "))},
		}
	}
	return Statement{
		Head:  fmt.Sprintf("INSERT INTO %s (%s) SELECT %s FROM %s", t.Name, names(t.columns()), strings.Join(out, ", "), t.Name),
		Where: g.where(1),
		Tail:  " ORDER BY " + g.keyOrder() + " ON CONFLICT DO NOTHING",
	}
}
