package random

import "fmt"

// recursive is WITH RECURSIVE: paths of whole numbers over a table, of at most three steps,
// or as long as they do not come to where they were.
func (g *Joins) recursive(outer []from) (string, from) {
	name, edge := g.name("r"), g.name("e")
	t := &joinTables[g.r.IntN(len(joinTables))]
	step := []from{t.as(edge)}
	start, first := g.relation(nil, nil)
	word := g.pick("UNION", "UNION ALL")
	to, level := fmt.Sprintf("(%s)::int8", g.intCol(step)), name+".m + 1"
	on := fmt.Sprintf("%s = %s.n", g.intCol(step), name)
	until := fmt.Sprintf("%s.m < %d", name, 1+g.r.IntN(3))
	mark := ""
	switch g.r.IntN(8) {
	case 1:
		on = fmt.Sprintf("%s < %s.n", g.intCol(step), name)
		until = name + ".m < 2"
	case 2:
		to = fmt.Sprintf("%s.n + (%s)::int", name, g.simple(step))
	case 3:
		if g.depth < 3 {
			until += " AND " + g.cond(step, outer)
		}
	case 4:
		mark = g.pick("n", "n, m")
	case 5, 6: // the mark alone ends it, or that rows repeat themselves
		level, until = "0", "true"
		if g.r.IntN(2) == 1 {
			mark = g.pick("n", "n, m")
		} else {
			word = "UNION"
		}
	}
	tail := ""
	search := g.one(3)
	if search && (until != "true" || mark != "") {
		tail = " SEARCH " + g.pick("DEPTH", "BREADTH") + " FIRST BY " + g.pick("n", "n, m", "m") + " SET o"
	}
	search = tail != ""
	if mark != "" {
		tail += " CYCLE " + mark + " SET c" + g.pick("", " TO 1 DEFAULT 0", " TO 'y' DEFAULT 'n'") + " USING p"
	}
	from1 := fmt.Sprintf("%s JOIN %s %s ON %s", name, t.name, edge, on)
	if g.one(3) {
		from1 = fmt.Sprintf("%s %s JOIN %s ON %s", t.name, edge, name, on)
	}
	def := fmt.Sprintf("%s(n, m) AS (SELECT DISTINCT (%s)::int8, 0 FROM %s %s SELECT %s, %s FROM %s WHERE %s)%s",
		name, g.intCol(start), first, word, to, level, from1, until, tail)
	rec := from{name: name, ints: []string{"n", "m"}}
	rels, clause := []from{rec}, name
	switch g.r.IntN(4) {
	case 2:
		other, text := g.relation(outer, nil)
		clause += fmt.Sprintf(" LEFT JOIN %s ON %s = %s", text, g.intCol(rels), g.intCol(other))
		rels = append(rels, other...)
	case 3:
		more := name + "x"
		def += fmt.Sprintf(", %s AS (SELECT count(*) AS n, max(m) AS m FROM %s)", more, name)
		clause += " CROSS JOIN " + more
		rels = append(rels, from{name: more, ints: []string{"n", "m"}})
	}
	var s selected
	s.int(g.value(rels, outer))
	s.int(name + ".m")
	if search {
		s.text(name + ".o::text")
	}
	if mark != "" {
		s.text(name + ".c::text")
		s.text(name + ".p::text")
	}
	return fmt.Sprintf("WITH RECURSIVE %s SELECT %s FROM %s WHERE %s", def, s.String(), clause, g.cond(rels, outer)), s.from
}
