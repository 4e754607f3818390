package random

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// colType is a type with the values that its columns may take, as literals.
type colType struct {
	decl   string
	values []string
	num    bool // has arithmetic
	text   bool
	ints   bool
}

func ints(vs ...int) []string {
	var out []string
	for _, v := range vs {
		out = append(out, fmt.Sprint(v))
	}
	return out
}

var colTypes = []colType{
	{decl: "INT", values: ints(-2147483648, -7, -1, 0, 1, 2, 3, 4, 5, 6, 2147483647), num: true, ints: true},
	{decl: "BIGINT", values: ints(-9000000000, -1, 0, 1, 2, 3, 9000000000), num: true, ints: true},
	{decl: "SMALLINT", values: ints(-32768, -2, 0, 1, 2, 3, 32767), num: true, ints: true},
	{decl: "VARCHAR", values: []string{"''", "'a'", "'aa'", "'ab'", "'b'", "'B'", "'b%'", "'é'", "'zz'"}, text: true},
	{decl: "CHAR(3)", values: []string{"'a'", "'ab'", "'abc'", "'b'", "'x y'"}},
	{decl: "BOOLEAN", values: []string{"false", "true"}},
	{decl: "DATE", values: []string{"'1969-12-31'", "'1970-01-01'", "'2024-02-28'", "'2024-02-29'", "'2024-03-01'"}},
	{decl: "TIMESTAMP", values: []string{"'1969-12-31 23:59:59.999999'", "'2024-01-01 00:00:00'", "'2024-01-01 00:00:00.000001'", "'2024-06-01 12:00:00'"}},
	{decl: "NUMERIC(8,2)", values: []string{"-1.50", "-1", "0", "0.01", "1", "1.5", "100", "99999.99"}, num: true},
	{decl: "DOUBLE PRECISION", values: []string{"-1.5", "0", "0.25", "1", "2.5", "1e10"}, num: true},
	{decl: "BYTEA", values: []string{`'\x'`, `'\x00'`, `'\x0000'`, `'\x00ff'`, `'\x01'`, `'\xff'`, `'\xff00'`}},
	{decl: "UUID", values: []string{"'00000000-0000-0000-0000-000000000000'", "'12345678-9abc-def0-1234-56789abcdef0'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"}},
}

// Column is one column of a Table.
type Column struct {
	Name string
	typ  *colType
	Desc bool // key columns
}

// Table is a random table.
type Table struct {
	Name   string
	Key    []Column
	Others []Column
	// SaltColumns are names of key columns; nil salts the whole key.
	SaltColumns []string
}

// Gen makes statements from one seed.
type Gen struct {
	r     *rand.Rand
	Table *Table
}

// New starts a generator with a table of its own.
func New(seed uint64) *Gen {
	g := &Gen{r: rand.New(rand.NewPCG(seed, 0x5a17))}
	t := &Table{Name: "r"}
	for i := range 1 + g.r.IntN(4) {
		t.Key = append(t.Key, Column{Name: fmt.Sprintf("k%d", i), typ: g.colType(), Desc: g.r.IntN(3) == 0})
	}
	for i := range 1 + g.r.IntN(4) {
		t.Others = append(t.Others, Column{Name: fmt.Sprintf("c%d", i), typ: g.colType()})
	}
	if g.r.IntN(3) == 0 {
		for _, c := range t.Key {
			if g.r.IntN(2) == 0 {
				t.SaltColumns = append(t.SaltColumns, c.Name)
			}
		}
	}
	// A key of one column whose value is empty has no bytes; no store takes that.
	if len(t.Key) == 1 && (t.Key[0].typ.decl == "VARCHAR" || t.Key[0].typ.decl == "BYTEA") {
		t.Key = append(t.Key, Column{Name: "k1", typ: &colTypes[0]})
	}
	g.Table = t
	return g
}

func (g *Gen) colType() *colType { return &colTypes[g.r.IntN(len(colTypes))] }

func (g *Gen) pick(list []string) string { return list[g.r.IntN(len(list))] }

// DDL is the CREATE TABLE statement. plain leaves out what Postgres does not know.
func (t *Table) DDL(salt int, plain bool) string {
	var cols, keys []string
	for _, c := range t.Key {
		cols = append(cols, c.Name+" "+c.typ.decl)
		k := c.Name
		if c.Desc && !plain {
			k += " DESC"
		}
		keys = append(keys, k)
	}
	for _, c := range t.Others {
		cols = append(cols, c.Name+" "+c.typ.decl)
	}
	s := fmt.Sprintf("CREATE TABLE %s (%s, CONSTRAINT r_pkey PRIMARY KEY (%s))", t.Name, strings.Join(cols, ", "), strings.Join(keys, ", "))
	if plain || salt == 0 {
		return s
	}
	s += fmt.Sprintf(" SALT_BUCKETS = %d", salt)
	if t.SaltColumns != nil {
		s += ", SALT_COLUMNS = (" + strings.Join(t.SaltColumns, ", ") + ")"
	}
	return s
}

func (t *Table) columns() []Column {
	return append(append([]Column(nil), t.Key...), t.Others...)
}
