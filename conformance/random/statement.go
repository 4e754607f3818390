package random

import (
	"fmt"
	"strconv"
	"strings"
)

// Statement is one statement and how its answers compare. Its text is in
// parts, so that a failure can be made smaller by leaving some out.
type Statement struct {
	Head  string
	Rows  []string // of VALUES
	Where []string // joined by AND
	Tail  string

	// Plain are the statements that do the same on Postgres, where it does not
	// know this one. Then command tags do not compare.
	Plain []string

	Query   bool // gives rows
	Ordered bool // rows come in an order that the statement fixes
	Count   bool // only the number of rows is fixed
	Ours    bool // for saltsql alone; only its success counts

	// Name is what the statement is prepared as; "" where it runs as text. It
	// then runs once with each of Sets. A name seen before is the statement
	// that was prepared under it.
	Name string
	OIDs []uint32
	Sets [][]*string

	// Reopen is no statement: an engine that can be closed and opened again is.
	Reopen bool

	literal bool // never prepared

	// Analyze is a query of which only the number of rows counts: saltsql tells
	// it by EXPLAIN ANALYZE.
	Analyze bool

	// Forms are what kinds of conditions and clauses the statement is made of.
	Forms []string

	Page uint32 // rows per Execute where the engine speaks the protocol; 0: all
}

// SQL is the statement's text.
func (s *Statement) SQL() string {
	sql := s.Head + strings.Join(s.Rows, ", ")
	if len(s.Where) > 0 {
		sql += " WHERE " + strings.Join(s.Where, " AND ")
	}
	return sql + s.Tail
}

// Write says that rows may differ after the statement.
func (s *Statement) Write() bool {
	verb, _, _ := strings.Cut(s.Head, " ")
	switch verb {
	case "INSERT", "UPSERT", "UPDATE", "DELETE", "ALTER", "TRUNCATE", "COMMIT", "END", "ROLLBACK":
		return true
	}
	return false
}

// arg is one value in a statement: a literal, or a parameter's values in
// successive executions. In texts under construction it is a mark.
type arg struct {
	typ  *colType
	oid  uint32
	lit  string
	vals []*string
}

const sets = 3

// mark puts an argument into the text.
func (g *Gen) mark(a arg) string {
	g.args = append(g.args, a)
	return "\x03" + strconv.Itoa(len(g.args)-1) + "\x04"
}

// form marks a place in the text as being of a form.
func (g *Gen) form(name string) string { return "\x05" + name + "\x06" }

// finish turns marks into literals, or some of them into parameters.
func (g *Gen) finish(s Statement) Statement {
	prepared := len(g.args) > 0 && s.Plain == nil && !s.literal && !s.Ours && g.r.IntN(3) == 0
	numbers := map[int]int{}
	var used []arg
	fill := func(text string) string {
		var b strings.Builder
		for {
			before, rest, ok := strings.Cut(text, "\x05")
			b.WriteString(before)
			if !ok {
				break
			}
			name, rest, _ := strings.Cut(rest, "\x06")
			s.Forms = append(s.Forms, name)
			text = rest
		}
		text = b.String()
		b.Reset()
		for {
			before, rest, ok := strings.Cut(text, "\x03")
			b.WriteString(before)
			if !ok {
				return b.String()
			}
			num, rest, _ := strings.Cut(rest, "\x04")
			text = rest
			i, _ := strconv.Atoi(num)
			n, seen := numbers[i]
			if !seen && prepared && g.r.IntN(5) > 0 {
				used = append(used, g.args[i])
				n = len(used)
			}
			numbers[i] = n
			if n == 0 {
				b.WriteString(g.args[i].lit)
			} else {
				fmt.Fprintf(&b, "$%d", n)
			}
		}
	}
	each := func(list []string) []string {
		var out []string
		for _, s := range list {
			out = append(out, fill(s))
		}
		return out
	}
	s.Head = fill(s.Head)
	s.Rows, s.Where, s.Tail = each(s.Rows), each(s.Where), fill(s.Tail)
	forms := s.Forms
	s.Plain = each(s.Plain)
	s.Forms = forms
	g.args = nil
	if len(used) == 0 {
		return s
	}
	g.prepared++
	s.Name = fmt.Sprintf("p%d", g.prepared)
	for _, a := range used {
		oid := a.oid
		if g.r.IntN(4) == 0 {
			oid = 0
		}
		s.OIDs = append(s.OIDs, oid)
	}
	for i := range sets {
		var set []*string
		for _, a := range used {
			set = append(set, a.vals[i])
		}
		s.Sets = append(s.Sets, set)
	}
	return s
}

// val is a value of the column's type in a predicate or a row.
func (g *Gen) val(c Column) string { return g.value(c.typ, c.typ.values) }

// probe is a value to compare the column with.
func (g *Gen) probe(c Column) string {
	if oids := c.typ.related(); len(oids) > 0 && g.one(12) {
		// A parameter of a type near by, or a literal.
		a := arg{typ: c.typ, oid: oids[g.r.IntN(len(oids))]}
		if g.inArray {
			// PostgreSQL computes an array of parameters while it plans: what its cast refuses
			// would be an error there, though nobody looks at a row.
			a.oid = c.typ.oid
		}
		for range sets {
			v := g.pick(c.typ.values)
			a.vals = append(a.vals, &v)
		}
		a.lit = c.typ.lit(*a.vals[0])
		return g.form("a parameter of another type") + g.mark(a)
	}
	if len(c.typ.probes) > 0 && g.r.IntN(6) == 0 {
		return g.value(c.typ, c.typ.probes)
	}
	return g.val(c)
}

func (g *Gen) value(t *colType, from []string) string {
	a := arg{typ: t, oid: t.oid}
	for range sets {
		v := g.pick(from)
		a.vals = append(a.vals, &v)
	}
	a.lit = t.lit(*a.vals[0])
	switch g.r.IntN(12) {
	case 0:
		a.lit = quote(*a.vals[0])
	case 1:
		a.lit = "CAST(" + a.lit + " AS " + t.plain + ")"
	case 2:
		return "CAST(" + g.mark(a) + " AS " + t.plain + ")"
	case 3:
		if g.r.IntN(3) == 0 {
			a.vals[1+g.r.IntN(sets-1)] = nil
		}
	}
	return g.mark(a)
}

// array is an array of the column's type, as a constructor or a text.
func (g *Gen) array(c Column) string {
	if c.typ.array == 0 || g.r.IntN(3) == 0 {
		var list []string
		g.inArray = true
		for range 1 + g.r.IntN(4) {
			list = append(list, g.probe(c))
		}
		g.inArray = false
		if g.r.IntN(6) == 0 {
			list = append(list, "NULL")
		}
		return "ARRAY[" + strings.Join(list, ", ") + "]::" + c.typ.plain + "[]"
	}
	a := arg{typ: c.typ, oid: c.typ.array}
	for range sets {
		var list []*string
		for range g.r.IntN(5) {
			v := g.pick(c.typ.values)
			list = append(list, &v)
		}
		if g.r.IntN(6) == 0 {
			list = append(list, nil)
		}
		text := arrayText(list)
		a.vals = append(a.vals, &text)
	}
	a.lit = quote(*a.vals[0])
	if g.one(20) {
		a.vals[1+g.r.IntN(sets-1)] = nil
	}
	return g.mark(a)
}

// text is one of some texts, as an argument.
func (g *Gen) text(list ...string) string {
	return g.value(&colType{plain: "text", class: classText, oid: 25}, list)
}
