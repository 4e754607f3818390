package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Column is one column of a Table.
type Column struct {
	Name    string
	typ     *colType
	Desc    bool // key columns
	NotNull bool
	Default string // a literal, or ""
	Family  string
}

// Table is a random table.
type Table struct {
	Name   string
	Key    []Column
	Others []Column
	Checks []string // conditions of CHECK constraints
	// Bulk says that a statement may write several rows of which one breaks a
	// check: where several rows are not written as one, that leaves some behind.
	Bulk bool
}

// Options are how saltsql stores a table. No answer depends on them.
type Options struct {
	Salt        int
	SaltColumns []string
	Encoded     string // COLUMN_ENCODED_BYTES, "" for the default
	Immutable   bool
	Families    bool
	With        bool // options in Postgres's form
	Splits      []string
}

var saltBuckets = []int{0, 1, 4, 4, 16, 16, 31, 256}

// Options draws options for the table.
func (t *Table) Options(r *rand.Rand) Options {
	o := Options{Salt: saltBuckets[r.IntN(len(saltBuckets))]}
	if o.Salt > 0 && r.IntN(2) == 0 {
		for _, i := range r.Perm(len(t.Key)) {
			if len(o.SaltColumns) == 0 || r.IntN(2) == 0 {
				o.SaltColumns = append(o.SaltColumns, t.Key[i].Name)
			}
		}
	}
	if r.IntN(3) == 0 {
		o.Encoded = []string{"0", "1", "3", "4"}[r.IntN(4)]
	}
	o.Immutable = r.IntN(4) == 0
	if o.Immutable && o.Encoded == "0" {
		o.Encoded = ""
	}
	o.Families = r.IntN(3) == 0
	o.With = r.IntN(3) == 0
	if r.IntN(4) == 0 {
		for _, i := range r.Perm(len(t.Key[0].typ.values))[:2] {
			p := t.Key[0].typ.lit(t.Key[0].typ.values[i])
			if len(t.Key) > 1 && r.IntN(2) == 0 {
				k := t.Key[1].typ
				p = "(" + p + ", " + k.lit(k.values[r.IntN(len(k.values))]) + ")"
			}
			if t.Key[0].typ.values[i] != "" && t.Key[0].typ.values[i] != `\x` {
				o.Splits = append(o.Splits, p)
			}
		}
	}
	return o
}

func (g *Gen) newTable() *Table {
	t := &Table{Name: "r"}
	fixed := false
	for i := range 1 + g.r.IntN(5) {
		c := Column{Name: fmt.Sprintf("k%d", i), typ: g.keyType(), Desc: g.r.IntN(3) == 0}
		t.Key = append(t.Key, c)
		fixed = fixed || c.typ.class != classText && c.typ.class != classBytea
	}
	// A key whose columns are all empty has no bytes; no store takes that.
	if !fixed {
		t.Key[0].typ = &keyTypes[g.r.IntN(9)]
	}
	for i := range 1 + g.r.IntN(4) {
		t.Others = append(t.Others, g.newColumn(fmt.Sprintf("c%d", i)))
	}
	g.Table = t
	if g.one(5) {
		t.Bulk = g.one(2)
		for range 1 + g.r.IntN(2) {
			t.Checks = append(t.Checks, g.check())
		}
	}
	return t
}

// check is a condition that most rows obey.
func (g *Gen) check() string {
	c := g.sortable()
	n, v := c.Name, c.typ.lit(g.pick(c.typ.values))
	list := []string{n + " <> " + v, n + " <> " + v, fmt.Sprintf("%s IS DISTINCT FROM %s", n, v), fmt.Sprintf("%s IS NOT NULL OR %s IS NOT NULL", n, g.sortable().Name)}
	for _, d := range g.Table.columns() {
		if d.typ.oid == c.typ.oid && d.Name != n {
			list = append(list, fmt.Sprintf("%s <> %s OR %s = %s", n, d.Name, n, v), n+" <> "+d.Name)
		}
	}
	switch c.typ.class {
	case classInt, classNumeric:
		list = append(list, n+" <= 1000000", fmt.Sprintf("%s > -5 AND %s <> 3", n, n), n+" % 5 <> 3")
	case classText, classChar:
		list = append(list, "length("+n+") < 3", n+" NOT LIKE 'ab%'", n+" <= 'zz'")
	case classArray:
		list = append(list, "cardinality("+n+") < 3")
	case classJSON:
		list = append(list, "jsonb_typeof("+n+") <> 'boolean'", n+" IS NULL OR NOT "+n+" @> '[1]'")
	case classDate, classTimestamp:
		list = append(list, "extract(year FROM "+n+") <> 2023")
	}
	return g.pick(list)
}

func (g *Gen) newColumn(name string) Column {
	c := Column{Name: name, typ: g.keyType()}
	switch g.r.IntN(12) {
	case 0:
		c.typ = &valueTypes[0]
	case 1, 2:
		c.typ = &valueTypes[g.r.IntN(len(valueTypes))]
	}
	if g.r.IntN(5) == 0 {
		c.Default = c.typ.lit(g.pick(c.typ.values))
	}
	c.NotNull = g.r.IntN(6) == 0
	c.Family = g.pick([]string{"", "f", "g"})
	return c
}

func (g *Gen) keyType() *colType { return &keyTypes[g.r.IntN(len(keyTypes))] }

// PlainDDL is the CREATE TABLE statement for Postgres.
func (t *Table) PlainDDL() string { return t.ddl(nil) }

// DDL is the CREATE TABLE statement for saltsql.
func (t *Table) DDL(o Options) string {
	s := t.ddl(&o)
	var opts []string
	add := func(name, v string) { opts = append(opts, name+" = "+v) }
	if o.Salt > 0 {
		add("SALT_BUCKETS", fmt.Sprint(o.Salt))
	}
	if o.SaltColumns != nil && o.With {
		add("SALT_COLUMNS", quote(strings.Join(o.SaltColumns, ", ")))
	} else if o.SaltColumns != nil {
		add("SALT_COLUMNS", "("+strings.Join(o.SaltColumns, ", ")+")")
	}
	if o.Encoded != "" {
		add("COLUMN_ENCODED_BYTES", o.Encoded)
	}
	if o.Immutable {
		add("IMMUTABLE_ROWS", "true")
	}
	if len(opts) > 0 && o.With {
		s += " WITH (" + strings.Join(opts, ", ") + ")"
	} else if len(opts) > 0 {
		s += " " + strings.Join(opts, ", ")
	}
	if len(o.Splits) > 0 {
		s += " SPLIT ON (" + strings.Join(o.Splits, ", ") + ")"
	}
	return s
}

func (t *Table) ddl(o *Options) string {
	var cols, keys, checks []string
	for _, c := range t.columns() {
		decl, name := c.typ.decl, c.Name
		switch {
		case o == nil && c.typ.pg != "":
			decl = c.typ.pg
			if c.typ.check != "" {
				checks = append(checks, fmt.Sprintf("CONSTRAINT %s%s CHECK (%s)", RangeCheck, c.Name, fmt.Sprintf(c.typ.check, c.Name)))
			}
		case o != nil && o.Families && c.Family != "":
			name = c.Family + "." + name
		}
		s := name + " " + decl
		if c.Default != "" {
			s += " DEFAULT " + c.Default
		}
		if c.NotNull {
			s += " NOT NULL"
		}
		cols = append(cols, s)
	}
	for _, c := range t.Key {
		k := c.Name
		if c.Desc && o != nil {
			k += " DESC"
		}
		keys = append(keys, k)
	}
	cols = append(cols, fmt.Sprintf("CONSTRAINT r_pkey PRIMARY KEY (%s)", strings.Join(keys, ", ")))
	cols = append(cols, checks...)
	for i, c := range t.Checks {
		cols = append(cols, fmt.Sprintf("CONSTRAINT r_check%d CHECK (%s)", i, c))
	}
	return fmt.Sprintf("CREATE TABLE %s (%s)", t.Name, strings.Join(cols, ", "))
}

// RangeCheck begins the names of Postgres's constraints that stand for what a
// type refuses by itself, with 22003. It sorts behind those of the table.
const RangeCheck = "z_range_"

func (t *Table) columns() []Column {
	return append(append([]Column(nil), t.Key...), t.Others...)
}
