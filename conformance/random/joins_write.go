package random

import (
	"fmt"
	"slices"
)

// Write makes a statement that writes rows of one table by what is in others: UPDATE … FROM,
// DELETE … USING, queries in SET, WHERE and RETURNING, MERGE, WITH queries that write. Where a
// row is joined with several, nothing that is written or given depends on which.
func (g *Joins) Write() string {
	g.start(1)
	i := g.r.IntN(len(joinTables))
	t := &joinTables[i]
	target := t.as("target")
	switch g.r.IntN(15) {
	case 11: // by the rows of a query, which is read as it was before
		w := g.name("w")
		body, out := g.query(nil)
		out.name = w
		c := g.intCol([]from{out})
		text := fmt.Sprintf("WITH %s AS (%s) ", w, body)
		if g.r.IntN(2) == 1 {
			return text + fmt.Sprintf("DELETE FROM %s target WHERE %s IN (SELECT %s FROM %s) AND %s", t.name, g.intCol([]from{target}), c, w, g.rare(func() string { return g.simple([]from{target}) })) + g.returning(target)
		}
		return text + fmt.Sprintf("UPDATE %s target SET x = (SELECT count(*) FROM %s WHERE %s = %s) WHERE EXISTS (SELECT 1 FROM %s WHERE %s = %s)",
			t.name, w, c, g.intCol([]from{target}), w, g.intCol([]from{out}), g.intCol([]from{target})) + g.returning(target)
	case 12: // rows move
		return fmt.Sprintf("WITH w AS (DELETE FROM ja target WHERE %s RETURNING *), v AS (INSERT INTO jc SELECT 200 + k, x, y FROM w ON CONFLICT DO NOTHING RETURNING *) SELECT v.k, v.x, w.y, (SELECT count(*) FROM ja) FROM v LEFT JOIN w ON w.k + 200 = v.k",
			g.rare(func() string { return g.cond([]from{joinTables[0].as("target")}, nil) }))
	case 13:
		return fmt.Sprintf("INSERT INTO jc AS target VALUES (%d, %s, 1), (51, NULL, %s), (51 + %d, 2, (SELECT max(x) FROM ja)) ON CONFLICT (k) DO UPDATE SET x = target.x + 1, z = %s",
			g.r.IntN(20), g.scalar(nil), g.scalar(nil), 1+g.r.IntN(3), g.scalar([]from{joinTables[2].as("target")})) + g.returning(joinTables[2].as("target"))
	case 14: // through a view
		v := joinViews[0]
		return g.change(&v, v.as("target")) + g.returning(v.as("target"))
	case 4, 5:
		return g.merge()
	case 6:
		c := []from{target}
		return fmt.Sprintf("WITH w AS (%s RETURNING target.%s AS c1) SELECT count(*), sum(c1), %s FROM w, (VALUES (1)) v(i) GROUP BY i",
			g.change(t, target), t.ints[0], g.scalar([]from{{name: "v", ints: []string{"i"}}})) + g.pick("", " HAVING count(*) > 0 AND "+g.scalar(c[:0])+" > 0")
	case 7:
		ja := &joinTables[0]
		return fmt.Sprintf("WITH w AS (%s RETURNING target.%s AS c1, target.%s AS c2) INSERT INTO jc SELECT 100 + c1 * 7 + coalesce(c2, 0), min(c2), count(*) FROM w WHERE c1 IS NOT NULL GROUP BY c1, c2 ON CONFLICT (k) DO UPDATE SET z = excluded.z + (SELECT count(*) FROM ja WHERE ja.x = excluded.x) RETURNING k, z",
			g.change(ja, ja.as("target")), ja.ints[0], ja.ints[1])
	case 8: // two tables in one statement, and what was before
		other := &joinTables[(i+1)%len(joinTables)]
		return fmt.Sprintf("WITH w AS (%s RETURNING %s AS c1), u AS (%s RETURNING target.%s AS c1), o AS (%s) SELECT 'w', c1 FROM w UNION ALL SELECT 'u', c1 FROM u UNION ALL SELECT 'o', v FROM o",
			g.change(t, target), g.intCol([]from{target}), g.change(other, other.as("target")), other.ints[0],
			fmt.Sprintf("SELECT count(*) AS v FROM %s", t.name))
	case 9, 10:
		return g.insert()
	}
	return g.change(t, target) + g.returning(target)
}

func (g *Joins) returning(target from) string {
	switch g.r.IntN(6) {
	case 2:
		return " RETURNING " + g.intCol([]from{target}) + ", " + g.scalar([]from{target})
	case 3:
		return " RETURNING target.*"
	case 4:
		return fmt.Sprintf(" RETURNING %s.*, left(%s::text, 40), %s", target.name, target.name, g.value([]from{target}, nil))
	case 5:
		return " RETURNING " + g.value([]from{target}, nil)
	}
	return ""
}

// insert writes rows of a query, in place of those that are there or not.
func (g *Joins) insert() string {
	d := g.groups()
	switch g.r.IntN(3) {
	case 1:
		text := fmt.Sprintf("INSERT INTO jc AS target SELECT d.k * 2, max(d.v), count(*) FROM %s WHERE d.k IS NOT NULL GROUP BY 1 ON CONFLICT (k) DO UPDATE SET (x, z) = (excluded.z, %s)",
			d.text, g.value([]from{joinTables[2].as("target"), {name: "excluded", ints: joinTables[2].ints}}, nil))
		if g.r.IntN(2) == 1 {
			text += " WHERE " + g.cond([]from{joinTables[2].as("target")}, nil)
		}
		return text + g.returning(joinTables[2].as("target"))
	case 2:
		return fmt.Sprintf("INSERT INTO jd AS target (h, s, x) SELECT d.k, 'e', %s FROM %s WHERE d.k IS NOT NULL ON CONFLICT DO NOTHING", g.value([]from{d.from}, nil), d.text) +
			g.returning(joinTables[3].as("target"))
	}
	return fmt.Sprintf("INSERT INTO ja AS target (k, x) SELECT d.k + 50, %s FROM %s WHERE d.k IS NOT NULL ON CONFLICT (k) DO NOTHING", g.value([]from{d.from}, nil), d.text) +
		g.returning(joinTables[0].as("target"))
}

// change is an UPDATE or DELETE.
func (g *Joins) change(t *joinTable, target from) string {
	set := ""
	var free []string // columns outside of the key
	for _, c := range t.ints {
		if !slices.Contains(t.key, c) {
			free = append(free, c)
		}
	}
	verb, word := fmt.Sprintf("DELETE FROM %s target", t.name), "USING"
	source := ""
	deletes := g.r.IntN(3) == 0
	if saved := g.few; deletes { // it leaves rows for what comes after it
		g.few = true
		defer func() { g.few = saved }()
	}
	where := g.cond([]from{target}, nil)
	values := []from{target}
	switch g.r.IntN(3) {
	case 1: // one row of the source for each value
		d := g.groups()
		source = d.text
		where = fmt.Sprintf("d.k = %s AND %s", g.intCol([]from{target}), g.cond([]from{target, d.from}, nil))
		values = append(values, d.from)
	case 2: // any
		more, text := g.from(nil)
		source = text
		where = fmt.Sprintf("%s = %s AND %s", g.intCol([]from{target}), g.intCol(more), g.cond(append(more, target), nil))
	}
	if !deletes {
		c := free[g.r.IntN(len(free))]
		set = fmt.Sprintf(" SET %s = %s", c, g.value(values, nil))
		switch n := len(free); {
		case g.one(5):
			set = fmt.Sprintf(" SET (%s) = (SELECT max(%s) FROM ja WHERE ja.x = %s)", c, "ja.y", g.intCol(values))
		case n > 1 && g.one(4):
			set = fmt.Sprintf(" SET (%s, %s) = (SELECT max(p), %s FROM jb WHERE jb.x = %s)", free[0], free[1], g.pick("min(q)", "count(*)"), g.intCol(values))
		case n > 1 && g.one(4):
			set = fmt.Sprintf(" SET (%s, %s) = ROW(%s, %s)", free[1], free[0], g.value(values, nil), g.intCol(values))
		case g.one(6):
			set += ", s = coalesce(target.s, 'n')"
			if len(t.texts) == 0 || t.name == "jd" {
				set = fmt.Sprintf(" SET %s = DEFAULT", c)
			}
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

func (g *Joins) groups() groupedSource {
	g.depth++
	defer func() { g.depth-- }()
	d := from{name: "d", ints: []string{"k", "v"}, keys: []string{"k"}, known: true}
	if g.one(4) {
		return groupedSource{d, fmt.Sprintf("(SELECT DISTINCT ON (1) floor(c1)::int8 AS k, c2 AS v FROM (%s) u(c1, c2) ORDER BY 1, 2 DESC) d", g.operation(nil, 2, 1))}
	}
	rels, clause := g.from(nil)
	return groupedSource{d, fmt.Sprintf("(SELECT %s AS k, %s(%s) AS v FROM %s GROUP BY 1) d", g.whole(rels), g.pick("min", "max", "sum", "count"), g.intCol(rels), clause)}
}

// merge is a MERGE into a table by its key: the first column by the source's, a second by a
// number.
func (g *Joins) merge() string {
	t := &joinTables[[]int{0, 2, 1, 4}[g.r.IntN(4)]]
	d := g.groups()
	all := []from{t.as("target"), d.from}
	on, missing := "d.k = target."+t.key[0], "t0."+t.key[0]+" = d.k"
	into, values := t.key[0], "d.k"
	if len(t.key) > 1 {
		second := g.r.IntN(4)
		on += fmt.Sprintf(" AND target.%s = %d", t.key[1], second)
		missing += fmt.Sprintf(" AND t0.%s = %d", t.key[1], second)
		into, values = into+", "+t.key[1], fmt.Sprintf("%s, %d", values, second)
	}
	text := fmt.Sprintf("MERGE INTO %s target USING %s ON %s", t.name, d.text, on)
	if g.one(4) {
		text += " AND " + g.simple(all[:1])
	}
	other := map[string]string{"ja": "y", "jb": "s", "jc": "z", "je": "f"}[t.name]
	for range g.r.IntN(3) {
		pair := g.intCol(all)
		if other == "s" {
			pair = "left(" + pair + "::text, 5)"
		}
		text += " WHEN MATCHED AND " + g.cond(all, nil) + " THEN " +
			[]string{"DELETE", "DO NOTHING", "UPDATE SET x = " + g.value(all, nil), fmt.Sprintf("UPDATE SET (x, %s) = (%s, %s)", other, g.value(all, nil), pair)}[g.r.IntN(4)]
	}
	if g.r.IntN(2) == 1 {
		text += fmt.Sprintf(" WHEN NOT MATCHED AND d.k IS NOT NULL AND NOT EXISTS (SELECT FROM %s t0 WHERE %s) AND %s THEN INSERT (%s, x) VALUES (%s, %s)",
			t.name, missing, g.cond([]from{d.from}, nil), into, values, g.value([]from{d.from}, nil))
	}
	return text + " WHEN MATCHED THEN UPDATE SET x = " + g.value(all, nil)
}
