package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Indexes draws CREATE INDEX statements for the table, in saltsql's form. No answer depends
// on them: those that are UNIQUE have the primary key among their parts.
func (t *Table) Indexes(r *rand.Rand) []string {
	var list []string
	for i := range 1 + r.IntN(4) {
		list = append(list, t.index(r, fmt.Sprintf("r_i%d", i+1)))
	}
	return list
}

func (t *Table) index(r *rand.Rand, name string) string {
	cols := t.columns()
	// The first indexes are about columns outside of the key.
	first := len(t.Key) + r.IntN(len(t.Others))
	var parts []string
	used := map[string]bool{}
	add := func(c Column) {
		if used[c.Name] || !c.indexable() {
			return
		}
		part := c.Name
		if e := c.indexExpr(); e != "" && r.IntN(6) == 0 {
			part = "(" + e + ")"
		} else {
			used[c.Name] = true
		}
		parts = append(parts, part+[]string{"", "", " DESC", " NULLS FIRST"}[r.IntN(4)])
	}
	add(cols[first])
	for r.IntN(2) == 0 || len(parts) == 0 {
		add(cols[r.IntN(len(cols))])
		if !t.anyIndexable() {
			break
		}
	}
	s := "CREATE INDEX "
	if r.IntN(5) == 0 {
		s = "CREATE UNIQUE INDEX "
		for _, k := range t.Key {
			if !used[k.Name] {
				used[k.Name] = true
				parts = append(parts, k.Name)
			}
		}
	}
	s += fmt.Sprintf("%s ON %s (%s)", name, t.Name, strings.Join(parts, ", "))
	var include []string
	for _, c := range t.Others {
		if !used[c.Name] && r.IntN(3) == 0 {
			include = append(include, c.Name)
		}
	}
	if len(include) > 0 {
		s += " INCLUDE (" + strings.Join(include, ", ") + ")"
	}
	if c := cols[r.IntN(len(cols))]; r.IntN(4) == 0 && c.indexable() {
		cond := c.Name + " IS NOT NULL"
		if r.IntN(2) == 0 {
			cond = c.Name + []string{" > ", " <= ", " <> ", " = "}[r.IntN(4)] + c.typ.lit(c.typ.values[r.IntN(len(c.typ.values))])
		}
		s += " WHERE " + cond
	}
	if n := saltBuckets[r.IntN(len(saltBuckets))]; n > 0 && r.IntN(2) == 0 {
		s += fmt.Sprintf(" SALT_BUCKETS = %d", n)
	}
	return s
}

func (t *Table) anyIndexable() bool {
	for _, c := range t.columns() {
		if c.indexable() {
			return true
		}
	}
	return false
}

// indexable leaves out types that have no order in a key.
func (c Column) indexable() bool {
	switch c.typ.class {
	case classJSON, classJSONText, classArray, classInterval:
		return false
	}
	return true
}

// indexExpr is an immutable expression over the column, one that conditions and outputs use too.
func (c Column) indexExpr() string {
	switch c.typ.class {
	case classInt:
		return c.Name + " % 3"
	case classText:
		return "reverse(" + c.Name + ")"
	case classBool:
		return "NOT " + c.Name
	}
	return ""
}
