package random

import (
	"fmt"
	"strings"
)

// windowed is a query with window functions. Where the order of a window does not tell
// rows apart, nothing that is computed over it depends on which of those that tie is first.
func (g *Joins) windowed(outer []from) (string, from) {
	rels, body := g.body(outer)
	key, known := identity(rels)
	var s selected
	s.int(g.intCol(rels))
	named := ""
	if g.one(2) {
		named = "PARTITION BY " + g.intCol(rels)
	}
	if !known && g.one(3) { // over groups
		a := g.intCol(rels)
		s = selected{}
		s.int(a)
		s.int(fmt.Sprintf("sum(count(*)) OVER (ORDER BY %s%s)", a, g.pick("", " DESC", " NULLS FIRST")))
		s.int(fmt.Sprintf("rank() OVER (ORDER BY %s DESC)", g.agg(rels, outer)))
		s.int(fmt.Sprintf("lag(max(%s)) OVER (ORDER BY %s)", g.intCol(rels), a))
		return "SELECT " + s.String() + body + " GROUP BY " + a, s.from
	}
	for range 1 + g.r.IntN(2) {
		if known && g.r.IntN(2) == 1 {
			s.int(g.overTotal(rels, outer, key, named))
		} else {
			s.int(g.overPeers(rels, outer, named))
		}
	}
	text := "SELECT " + g.pick("", "", "", "DISTINCT ") + s.String() + body
	if named != "" {
		text += " WINDOW w AS (" + named + ")"
	}
	if g.one(5) {
		var order []string
		for i := range s.list {
			order = append(order, fmt.Sprint(len(s.list)-i))
		}
		text += " ORDER BY " + g.directions(order, nil) + g.limit()
	}
	return text, s.from
}

func (g *Joins) over(rels []from, named, order, frame string) string {
	begin := ""
	if named != "" && g.r.IntN(2) == 1 {
		begin = "w"
	} else if n := g.r.IntN(3); n > 0 {
		begin = "PARTITION BY " + g.intCol(rels)
		if n == 2 {
			begin += ", " + g.intCol(rels)
		}
		if b := g.boolCol(rels); b != "" && g.one(4) {
			begin = "PARTITION BY " + b
		}
	}
	var parts []string
	for _, p := range []string{begin, order, frame} {
		if p != "" {
			parts = append(parts, p)
		}
	}
	if begin == "w" && len(parts) == 1 {
		return " OVER w"
	}
	return " OVER (" + strings.Join(parts, " ") + ")"
}

// overTotal is a call over a window in which no rows tie.
func (g *Joins) overTotal(rels, outer []from, key []string, named string) string {
	c := g.intCol(rels)
	order := "ORDER BY " + g.directions([]string{g.intCol(rels)}, key)
	call := g.pick("row_number()", "ntile(3)", "lag("+c+")", "lead("+c+", 2)", "lag("+c+", 1, -1)", "first_value("+c+")", "last_value("+c+")",
		"nth_value("+c+", 2)", "lead("+c+", "+fmt.Sprint(g.r.IntN(3))+", "+g.intCol(rels)+")")
	if g.r.IntN(3) > 0 {
		call = g.windowAgg(rels, outer)
	}
	return call + g.over(rels, named, order, g.bounds(g.pick("ROWS", "ROWS", "GROUPS")))
}

// overPeers is a call over a window in which rows may tie.
func (g *Joins) overPeers(rels, outer []from, named string) string {
	e := g.intCol(rels)
	if g.one(6) {
		e = g.value(rels, outer)
	}
	order := "ORDER BY " + g.directions([]string{e}, nil)
	if d := g.dateCol(rels); d != "" && g.one(5) {
		frame := g.pick("", " RANGE BETWEEN '1 day' PRECEDING AND CURRENT ROW", " RANGE BETWEEN INTERVAL '2 days' PRECEDING AND '1 day' FOLLOWING EXCLUDE CURRENT ROW")
		return g.windowAgg(rels, outer) + g.over(rels, named, "ORDER BY "+d+g.pick("", " DESC"), strings.TrimSpace(frame))
	}
	frame := ""
	switch g.r.IntN(6) {
	case 1:
		return g.windowAgg(rels, outer) + g.over(rels, named, "", "")
	case 2:
		call := g.pick("rank()", "dense_rank()", "(percent_rank()", "(cume_dist()")
		end := ""
		if strings.HasPrefix(call, "(") {
			end = " * 720720)::int8"
		}
		return call + g.over(rels, named, order, "") + end
	case 3, 5:
		frame = g.bounds("RANGE")
	case 4:
		order = "ORDER BY " + g.directions([]string{e, g.intCol(rels)}, nil)
		frame = g.bounds("GROUPS")
	}
	return g.windowAgg(rels, outer) + g.over(rels, named, order, frame)
}

func (g *Joins) windowAgg(rels, outer []from) string {
	c := g.intCol(rels)
	call := g.pick("count(*)", "sum("+c+")", "count("+c+")", "min("+c+")", "max("+c+")", "bit_or("+c+"::int8)")
	if g.one(5) {
		call += " FILTER (WHERE " + g.cond(rels, outer) + ")"
	}
	return call
}

// bounds is a frame.
func (g *Joins) bounds(kind string) string {
	list := []string{"UNBOUNDED PRECEDING", "%d PRECEDING", "CURRENT ROW", "%d FOLLOWING", "UNBOUNDED FOLLOWING"}
	a := g.r.IntN(4)
	b := max(a, 1) + g.r.IntN(5-max(a, 1))
	bound := func(i int) string {
		if i == 1 || i == 3 {
			return fmt.Sprintf(list[i], g.r.IntN(4))
		}
		return list[i]
	}
	text := kind + " BETWEEN " + bound(a) + " AND " + bound(b)
	if b == 2 && g.one(3) {
		text = kind + " " + bound(min(a, 2))
	}
	return text + g.pick("", "", " EXCLUDE CURRENT ROW", " EXCLUDE GROUP", " EXCLUDE TIES", " EXCLUDE NO OTHERS")
}
