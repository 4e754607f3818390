package random

import (
	"fmt"
	"strings"
)

// Write makes a statement that writes rows of one table by what is in others: UPDATE … FROM,
// DELETE … USING, queries in SET, WHERE and RETURNING, MERGE, WITH queries that write. Where a
// row is joined with several, nothing that is written or given depends on which.
func (g *Joins) Write() string {
	g.names, g.depth = 0, 1
	t := joinTables[g.r.IntN(len(joinTables))]
	target := from{name: "target", ints: t.ints, text: t.text}
	switch g.r.IntN(7) {
	case 0:
		return g.merge()
	case 1:
		return fmt.Sprintf("WITH w AS (%s RETURNING target.%s AS c1) SELECT count(*), sum(c1), %s FROM w, (VALUES (1)) v(i) GROUP BY i",
			g.change(&t, target), t.ints[0], g.scalar([]from{{name: "v", ints: []string{"i"}}}))
	case 2:
		return fmt.Sprintf("WITH w AS (%s RETURNING target.%s AS c1, target.%s AS c2) INSERT INTO jc SELECT 100 + c1 * 7 + coalesce(c2, 0), min(c2), count(*) FROM w WHERE c1 IS NOT NULL GROUP BY c1, c2 ON CONFLICT (k) DO UPDATE SET z = excluded.z + (SELECT count(*) FROM ja WHERE ja.x = excluded.x) RETURNING k, z",
			g.change(&joinTables[0], from{name: "target", ints: joinTables[0].ints}), joinTables[0].ints[0], joinTables[0].ints[1])
	}
	text := g.change(&t, target)
	if g.r.IntN(2) == 0 {
		text += " RETURNING " + g.list([]from{target})
		if g.r.IntN(3) == 0 {
			text += ", " + g.scalar([]from{target})
		}
	}
	return text
}

// change is an UPDATE or DELETE.
func (g *Joins) change(t *joinTable, target from) string {
	set := ""
	var free []string // columns outside of the key
	for _, c := range t.ints {
		if !strings.Contains(" "+strings.Join(t.key, " ")+" ", " "+c+" ") {
			free = append(free, c)
		}
	}
	verb, word := fmt.Sprintf("DELETE FROM %s target", t.name), "USING"
	source := ""
	where := g.cond([]from{target}, nil)
	values := []from{target}
	switch g.r.IntN(3) {
	case 0: // one row of the source for each value
		d := g.grouped()
		source = d.text
		where = fmt.Sprintf("d.k = %s AND %s", g.intCol([]from{target}), g.cond([]from{target, d.from}, nil))
		values = append(values, d.from)
	case 1: // any
		more, text := g.from(nil)
		source = text
		where = fmt.Sprintf("%s = %s AND %s", g.intCol([]from{target}), g.intCol(more), g.cond(append(more, target), nil))
	}
	if g.r.IntN(3) > 0 {
		c := free[g.r.IntN(len(free))]
		set = fmt.Sprintf(" SET %s = %s", c, g.value(values, nil))
		if g.r.IntN(4) == 0 {
			set = fmt.Sprintf(" SET (%s) = (SELECT max(%s) FROM ja WHERE ja.x = %s)", c, "ja.y", g.intCol(values))
		}
		verb, word = fmt.Sprintf("UPDATE %s target", t.name), "FROM"
	}
	text := verb + set
	if source != "" {
		text += " " + word + " " + source
	}
	return text + " WHERE " + where
}

// groupedSource is a query with one row for each k.
type groupedSource struct {
	from
	text string
}

func (g *Joins) grouped() groupedSource {
	g.depth++
	defer func() { g.depth-- }()
	rels, clause := g.from(nil)
	return groupedSource{from{name: "d", ints: []string{"k", "v"}},
		fmt.Sprintf("(SELECT %s AS k, %s(%s) AS v FROM %s GROUP BY 1) d", g.intCol(rels), g.agg(), g.intCol(rels), clause)}
}

// merge is a MERGE into a table by its key.
func (g *Joins) merge() string {
	t := joinTables[[]int{0, 2}[g.r.IntN(2)]]
	d := g.grouped()
	both := []from{{name: "target", ints: t.ints}, d.from}
	text := fmt.Sprintf("MERGE INTO %s target USING %s ON d.k = target.k", t.name, d.text)
	for range g.r.IntN(3) {
		text += " WHEN MATCHED AND " + g.cond(both, nil) + " THEN " +
			[]string{"DELETE", "DO NOTHING", "UPDATE SET x = " + g.value(both, nil)}[g.r.IntN(3)]
	}
	if g.r.IntN(2) == 0 {
		text += fmt.Sprintf(" WHEN NOT MATCHED AND d.k IS NOT NULL AND %s THEN INSERT (k, x) VALUES (d.k, %s)", g.cond([]from{d.from}, nil), g.value([]from{d.from}, nil))
	}
	return text + " WHEN MATCHED THEN UPDATE SET x = " + g.value(both, nil)
}
