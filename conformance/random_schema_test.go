package conformance

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
)

var (
	schemaSeed  = flag.Uint64("schema.seed", 0, "make the one random schema of this seed")
	schemaCount = flag.Int("schema.count", seeds.Amount(1, 12), "random schemas to dump and restore")
)

// schemaMaker makes the statements of a random schema. What they use of PostgreSQL's, PostgreSQL takes
// too; salted adds what it does not know.
type schemaMaker struct {
	r      *rand.Rand
	salted bool
	out    []string
	n      int // of names
	types  []madeType
	tables []*madeTable
	where  []string // schemas, quoted
}

// madeType is a type of columns, with literals of it.
type madeType struct {
	name   string
	values []string
	key    bool // its columns may be in keys
}

type madeColumn struct {
	name      string
	typ       madeType
	generated bool
	notNull   bool
}

type madeTable struct {
	name    string // with its schema
	columns []madeColumn
	key     []int
}

func (m *schemaMaker) add(format string, args ...any) {
	m.out = append(m.out, fmt.Sprintf(format, args...))
}

func (m *schemaMaker) one(n int) bool { return m.r.IntN(n) == 0 }

func pick[T any](r *rand.Rand, of []T) T { return of[r.IntN(len(of))] }

// name is one that nothing else has: a plain one, a key word or one that must be quoted.
func (m *schemaMaker) name(of string) string {
	m.n++
	plain := fmt.Sprintf("%s%d", of, m.n)
	switch m.r.IntN(6) {
	case 0:
		return `"` + strings.ToUpper(of[:1]) + of[1:] + fmt.Sprintf(" %d", m.n) + `"`
	case 1:
		return `"` + plain + `""q"`
	case 2:
		return `"` + plain + `.d"`
	}
	return plain
}

func (m *schemaMaker) in() string { return pick(m.r, m.where) + "." }

func (m *schemaMaker) comment(what string) {
	if m.one(3) {
		m.add("COMMENT ON %s IS 'it''s no. %d\n-- of \\ \"all\"; $$'", what, len(m.out))
	}
}

var schemaTypes = []madeType{
	{"integer", []string{"1", "-7", "2147483647"}, true}, {"bigint", []string{"0", "9223372036854775807"}, true}, {"smallint", []string{"3"}, true},
	{"text", []string{"'a'", "''", "E'tab\\tnew\\nline'", "'it''s \\ \"x\"'", "'\\N'", "'NULL'"}, true}, {"varchar(20)", []string{"'v'", "' w '"}, true},
	{"boolean", []string{"true", "false"}, true}, {"numeric(10,2)", []string{"1.25", "-0.01"}, true}, {"numeric", []string{"1e30", "'NaN'"}, false},
	{"double precision", []string{"1.5", "'Infinity'", "-0.0", "1e-300"}, true}, {"real", []string{"0.1"}, false}, {"date", []string{"'2024-02-29'", "'infinity'"}, true},
	{"timestamp", []string{"'2024-02-29 12:34:56.789012'"}, true}, {"timestamptz", []string{"'2024-02-29 12:34:56+02'"}, true}, {"time", []string{"'23:59:59.5'"}, false},
	{"interval", []string{"'1 mon -3 days 04:05:06'"}, false}, {"uuid", []string{"'5f0c3f2e-7c5e-4b0e-9f51-2f3b8b2d4c11'"}, true}, {"bytea", []string{`'\x00ff'`, `'\x'`}, false},
	{"jsonb", []string{`'{"a": [1, null, "b\\"]}'`, "'null'"}, false}, {"json", []string{`'{"a" :1}'`}, false}, {"integer[]", []string{"'{1,NULL,3}'", "'{}'"}, false},
	{"text[]", []string{`'{a,"b c","",NULL,"x\"y"}'`}, false}, {"char(3)", []string{"'ab'"}, false},
}

// schema makes all of it.
func (m *schemaMaker) schema() []string {
	m.where, m.types = []string{"public"}, slices.Clone(schemaTypes)
	for range m.r.IntN(3) {
		name := m.name("sch")
		m.add("CREATE SCHEMA %s", name)
		m.comment("SCHEMA " + name)
		m.where = append(m.where, name)
	}
	for range m.r.IntN(4) {
		m.userType()
	}
	for range 1 + m.r.IntN(5) {
		m.table()
	}
	for range m.r.IntN(3) {
		m.view()
	}
	return m.out
}

func (m *schemaMaker) userType() {
	name := m.in() + m.name("typ")
	if m.one(2) {
		m.add("CREATE TYPE %s AS ENUM ('on', 'it''s', 'Two Words')", name)
		m.comment("TYPE " + name)
		m.types = append(m.types, madeType{name, []string{"'on'", "'it''s'", "'Two Words'"}, false})
		return
	}
	base := pick(m.r, m.types)
	for strings.HasSuffix(base.name, "[]") {
		base = pick(m.r, m.types)
	}
	text := fmt.Sprintf("CREATE DOMAIN %s AS %s", name, base.name)
	if m.one(3) {
		text += " DEFAULT " + pick(m.r, base.values)
	}
	if m.one(2) {
		text += fmt.Sprintf(" CONSTRAINT %s CHECK (VALUE IS NOT NULL OR VALUE::text <> 'never''s')", m.name("dck"))
	}
	m.add("%s", text)
	m.comment("DOMAIN " + name)
	if m.one(2) {
		check := m.name("dlt")
		m.add("ALTER DOMAIN %s ADD CONSTRAINT %s CHECK (VALUE IS NOT NULL OR true) NOT VALID", name, check)
		m.comment(fmt.Sprintf("CONSTRAINT %s ON DOMAIN %s", check, name))
	}
	m.types = append(m.types, madeType{name, base.values, false})
}

func (m *schemaMaker) table() {
	t := &madeTable{name: m.in() + m.name("tab")}
	var lines []string
	for i := range 2 + m.r.IntN(6) {
		c := madeColumn{name: m.name("col"), typ: pick(m.r, m.types)}
		line := c.name + " " + c.typ.name
		switch m.r.IntN(9) {
		case 0:
			c.typ, c.generated = schemaTypes[0], true
			line = c.name + " " + pick(m.r, []string{"serial", "integer GENERATED ALWAYS AS IDENTITY (START WITH 5 INCREMENT BY 3)", "integer GENERATED BY DEFAULT AS IDENTITY"})
		case 1:
			line += " DEFAULT " + pick(m.r, c.typ.values)
		case 2:
			if i > 0 && !t.columns[0].generated {
				c.typ, c.generated = schemaTypes[3], true
				line = fmt.Sprintf("%s text GENERATED ALWAYS AS (CASE WHEN %s IS NULL THEN 'none' ELSE 'some' END) STORED", c.name, t.columns[0].name)
			}
		case 3:
			seq := m.in() + m.name("seq")
			m.add("CREATE SEQUENCE %s %s", seq, pick(m.r, []string{"", "INCREMENT BY -2 MAXVALUE 50 START WITH 40", "AS smallint CYCLE CACHE 3"}))
			m.comment("SEQUENCE " + seq)
			c.typ = schemaTypes[1]
			line = fmt.Sprintf("%s bigint DEFAULT nextval('%s')", c.name, strings.ReplaceAll(seq, "'", "''"))
		}
		if m.one(4) && !strings.Contains(line, "GENERATED") {
			c.notNull = true
			line += " NOT NULL"
		}
		t.columns, lines = append(t.columns, c), append(lines, line)
	}
	for i, c := range t.columns {
		if c.typ.key && !c.generated && len(t.key) < 2 && m.one(2) {
			t.key = append(t.key, i)
		}
	}
	if len(t.key) > 0 {
		line := "PRIMARY KEY (" + m.keyList(t) + ")"
		if m.one(2) {
			line = "CONSTRAINT " + m.name("pk") + " " + line
		}
		lines = append(lines, line)
	}
	col := pick(m.r, t.columns)
	for range m.r.IntN(3) {
		line := fmt.Sprintf("CHECK (%s IS NOT NULL OR %s::text <> 'x''y')", col.name, col.name)
		if m.one(2) {
			line = "CONSTRAINT " + m.name("chk") + " " + line
		}
		lines = append(lines, line)
	}
	options := ""
	if m.salted && len(t.key) > 0 && m.one(2) {
		options = pick(m.r, []string{" SALT_BUCKETS = 4", " SALT_BUCKETS = 8, VERSIONS = 2", " VERSIONS = 3"})
	}
	m.add("CREATE TABLE %s (\n  %s\n)%s", t.name, strings.Join(lines, ",\n  "), options)
	m.beside(t)
	m.rows(t)
	m.tables = append(m.tables, t)
}

// keyList is the columns of the primary key, some of them descending where that is known.
func (m *schemaMaker) keyList(t *madeTable) string {
	var list []string
	for _, i := range t.key {
		name := t.columns[i].name
		if m.salted && m.one(4) {
			name += " DESC"
		}
		list = append(list, name)
	}
	return strings.Join(list, ", ")
}

// beside makes what is declared after a table: indexes, constraints, comments, lost columns.
func (m *schemaMaker) beside(t *madeTable) {
	var plain []madeColumn
	for _, c := range t.columns {
		if c.typ.key {
			plain = append(plain, c)
		}
	}
	if len(plain) > 0 {
		for range m.r.IntN(4) {
			a, b := pick(m.r, plain), pick(m.r, t.columns)
			include, where := "", ""
			if b.name != a.name && m.one(2) {
				include = " INCLUDE (" + b.name + ")"
			}
			if m.one(2) {
				where = fmt.Sprintf(" WHERE %s IS NOT NULL", b.name)
			}
			name := m.name("idx")
			keys := pick(m.r, []string{a.name, a.name + " DESC", a.name + " DESC NULLS LAST", a.name + " NULLS FIRST", "(" + a.name + " IS NULL), " + a.name})
			options := ""
			if m.salted && m.one(3) {
				options = " WITH (salt_buckets = 2)"
			}
			m.add("CREATE INDEX %s ON %s (%s)%s%s%s", name, t.name, keys, include, options, where)
			m.comment("INDEX " + m.schemaOf(t) + name)
		}
		for range m.r.IntN(3) {
			name, nulls := m.name("uq"), ""
			if m.one(3) {
				nulls = " NULLS NOT DISTINCT"
			}
			// With the key in it no rows are in its way.
			cols := []string{pick(m.r, plain).name}
			for _, i := range t.key {
				if !slices.Contains(cols, t.columns[i].name) {
					cols = append(cols, t.columns[i].name)
				}
			}
			if len(t.key) == 0 {
				continue
			}
			m.add("ALTER TABLE %s ADD CONSTRAINT %s UNIQUE%s (%s)", t.name, name, nulls, strings.Join(cols, ", "))
			m.comment(fmt.Sprintf("CONSTRAINT %s ON %s", name, t.name))
		}
	}
	if m.one(3) {
		name := m.name("late")
		m.add("ALTER TABLE %s ADD CONSTRAINT %s CHECK (%s IS NULL OR true) NOT VALID", t.name, name, t.columns[0].name)
		m.comment(fmt.Sprintf("CONSTRAINT %s ON %s", name, t.name))
	}
	if to := m.referred(); to != nil && m.one(2) {
		key := to.columns[to.key[0]]
		name, col := m.name("fk"), m.name("ref")
		m.add("ALTER TABLE %s ADD COLUMN %s %s", t.name, col, key.typ.name)
		m.add("ALTER TABLE %s ADD CONSTRAINT %s FOREIGN KEY (%s) REFERENCES %s (%s)%s NOT VALID", t.name, name, col, to.name, key.name,
			pick(m.r, []string{"", " ON DELETE CASCADE", " MATCH FULL ON UPDATE SET NULL", " DEFERRABLE INITIALLY DEFERRED"}))
		m.comment(fmt.Sprintf("CONSTRAINT %s ON %s", name, t.name))
	}
	if m.one(3) {
		lost, late := m.name("lost"), m.name("new")
		m.add("ALTER TABLE %s ADD COLUMN %s text DEFAULT 'gone'", t.name, lost)
		m.add("ALTER TABLE %s ADD COLUMN %s text DEFAULT 'la''te'", t.name, late)
		m.add("ALTER TABLE %s DROP COLUMN %s", t.name, lost)
	}
	m.comment("TABLE " + t.name)
	for _, c := range t.columns {
		m.comment("COLUMN " + t.name + "." + c.name)
	}
}

// schemaOf is the schema of a table with its dot.
func (m *schemaMaker) schemaOf(t *madeTable) string {
	for _, s := range m.where {
		if strings.HasPrefix(t.name, s+".") {
			return s + "."
		}
	}
	panic(t.name)
}

// referred is a table with a key of one column; nil where there is none.
func (m *schemaMaker) referred() *madeTable {
	for _, t := range m.tables {
		if len(t.key) == 1 {
			return t
		}
	}
	return nil
}

// rows inserts some: one of each value that a key takes.
func (m *schemaMaker) rows(t *madeTable) {
	var cols []string
	n := 3
	for i, c := range t.columns {
		if c.generated {
			continue
		}
		cols = append(cols, c.name)
		if slices.Contains(t.key, i) {
			n = min(n, len(c.typ.values))
		}
	}
	if len(cols) == 0 {
		return
	}
	for j := range n {
		var vals []string
		for i, c := range t.columns {
			switch {
			case c.generated:
			case slices.Contains(t.key, i) && c.typ.values[j] == "''":
				vals = append(vals, "'k'") // a key is not empty
			case slices.Contains(t.key, i):
				vals = append(vals, c.typ.values[j])
			case c.notNull || m.one(2):
				vals = append(vals, pick(m.r, c.typ.values))
			default:
				vals = append(vals, "DEFAULT")
			}
		}
		m.add("INSERT INTO %s (%s) VALUES (%s)", t.name, strings.Join(cols, ", "), strings.Join(vals, ", "))
	}
}

func (m *schemaMaker) view() {
	t := pick(m.r, m.tables)
	name, c := m.in()+m.name("view"), pick(m.r, t.columns)
	if m.one(3) {
		m.add("CREATE MATERIALIZED VIEW %s AS SELECT count(*) AS n, count(%s) AS \"N n\" FROM %s", name, c.name, t.name)
		m.comment("MATERIALIZED VIEW " + name)
		return
	}
	m.add("CREATE VIEW %s AS SELECT x.%s, x.%s IS NULL AS \"is null\" FROM %s AS x WHERE x.%s IS NOT NULL", name, c.name, c.name, t.name, c.name)
	m.comment("VIEW " + name)
	m.comment("COLUMN " + name + "." + c.name)
}

// dumpHead are the lines of a dump that tell of the server.
var dumpHead = regexp.MustCompile(`(?m)^-- Dumped .*\n`)

// TestRandomSchemas dumps and exports random schemas with their rows, restores them here and in
// PostgreSQL, and finds that a dump of what was restored is the same text; and that SHOW CREATE TABLE
// makes a table again with all that saltsql.definitions says of it.
func TestRandomSchemas(t *testing.T) {
	t.Parallel()
	postgres := pgtest.Start(t)
	database := func(t *testing.T, name string) string {
		askedRows(t, postgres, "CREATE DATABASE "+name)
		return strings.Replace(postgres, "dbname=postgres", "dbname="+name, 1)
	}
	first, n := seeds.First(t), *schemaCount
	if *schemaSeed > 0 {
		first, n = *schemaSeed, 1
	}
	for seed := first; seed < first+uint64(n); seed++ {
		for _, salted := range []bool{false, true} {
			t.Run(fmt.Sprintf("%d/salted=%t", seed, salted), func(t *testing.T) {
				m := &schemaMaker{r: rand.New(rand.NewPCG(seed, 44)), salted: salted}
				statements := m.schema()
				defer func() {
					if t.Failed() {
						t.Logf("-schema.seed=%d:\n%s;", seed, strings.Join(statements, ";\n"))
					}
				}()
				from := dumpedDB(t)
				script(t, from, statements)
				text := pgDump(t, from, nil)
				to := dumpedDB(t)
				if out := restored(t, to, text, true); out != "" {
					t.Error(out)
				}
				if again := pgDump(t, to, nil); again != text {
					t.Errorf("the dump of the restored database differs:\n%s", firstDifference(text, again))
				}
				exportedHere(t, from, dumpedDB(t), text)
				name := fmt.Sprintf("s%d_%t", seed, salted)
				dumped, exported := database(t, name), database(t, name+"_exported")
				bare := []string{"--no-owner", "--no-privileges"}
				plain := pgDump(t, from, []string{"PGOPTIONS=-c saltsql.reloptions=off"}, bare...)
				if out := restored(t, dumped, plain, true); out != "" {
					t.Error(out)
				}
				exportedToPostgres(t, from, exported)
				for _, to := range []string{dumped, exported} {
					sameTables(t, from, to)
					ours, theirs := dumpHead.ReplaceAllString(plain, ""), dumpHead.ReplaceAllString(pgDump(t, to, nil, bare...), "")
					if ours != theirs {
						t.Errorf("PostgreSQL's dump of what was restored differs:\n%s", firstDifference(ours, theirs))
					}
				}
				shownAgain(t, from)
			})
		}
	}
}

// ofTables is what a database says of its tables, without their rows' sequences.
const ofTables = `SELECT section, kind, schema_name, object_name, definition FROM saltsql.definitions
	WHERE kind IN ('table', 'index', 'constraint', 'foreign key', 'comment') AND object_oid IN (SELECT oid FROM pg_class WHERE relkind = 'r')
	ORDER BY 1, 2, 3, 4, 5`

// shownAgain drops all tables and makes them by what SHOW CREATE TABLE said of them.
func shownAgain(t *testing.T, dsn string) {
	t.Helper()
	was := askedRows(t, dsn, ofTables)
	var texts, drops []string
	tables := askedRows(t, dsn, "SELECT oid::regclass FROM pg_class WHERE relkind = 'r' AND relnamespace NOT IN (SELECT oid FROM pg_namespace WHERE nspname IN ('pg_catalog', 'information_schema', 'saltsql')) ORDER BY oid")
	for _, table := range tables {
		texts = append(texts, askedRows(t, dsn, "SHOW CREATE TABLE "+table[0])[0][1])
		drops = append(drops, "DROP TABLE IF EXISTS "+table[0]+" CASCADE")
	}
	script(t, dsn, slices.Concat(drops, texts))
	for i, table := range tables {
		if again := askedRows(t, dsn, "SHOW CREATE TABLE "+table[0])[0][1]; again != texts[i] {
			t.Errorf("SHOW CREATE TABLE of the table made by it:\n%s", firstDifference(texts[i], again))
		}
	}
	lines := func(rows [][]string) string {
		var b strings.Builder
		for _, r := range rows {
			b.WriteString(strings.Join(r, "|") + "\n")
		}
		return b.String()
	}
	// What a table without a key has by default is said by SHOW CREATE TABLE, and by then not a default.
	now := strings.ReplaceAll(lines(askedRows(t, dsn, ofTables)), " SALT_BUCKETS = 16", "")
	if now != lines(was) {
		t.Errorf("definitions of tables made by SHOW CREATE TABLE:\n%s", firstDifference(lines(was), now))
	}
}
