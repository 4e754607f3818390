package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

// phoenixTable is a table that Apache Phoenix 5.2.1 wrote: its statement, the cells it
// left in HBase, and the rows it reads from them.
type phoenixTable struct {
	name, create string
	cells        []phoenixCell
	rows         [][]string
	view         bool            // it has rows alone
	indexes      []*phoenixTable // global ones, with their cells; create is the whole statement
}

type phoenixCell struct {
	key, qualifier, value []byte
	family                string
}

// readPhoenix reads a recording: CREATE TABLE, or CREATE INDEX on the last one, then lines of two blanks with a cell (key,
// family, qualifier, value in hexadecimal digits) or a row (|value|value|).
func readPhoenix(t testing.TB, path string) []phoenixTable {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []phoenixTable
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if create, ok := strings.CutPrefix(line, "CREATE TABLE "); ok {
			name, _, _ := strings.Cut(create, " ")
			out = append(out, phoenixTable{name: name, create: create})
			continue
		}
		p := &out[len(out)-1]
		if view, ok := strings.CutPrefix(line, "CREATE VIEW "); ok {
			out = append(out, phoenixTable{name: strings.TrimSpace(view), view: true})
			continue
		}
		if strings.HasPrefix(line, "CREATE INDEX ") {
			p.indexes = append(p.indexes, &phoenixTable{name: strings.Fields(line)[2], create: line})
			continue
		}
		if n := len(p.indexes); n > 0 {
			p = p.indexes[n-1]
		}
		if row, ok := strings.CutPrefix(line, "  |"); ok {
			p.rows = append(p.rows, strings.Split(strings.TrimSuffix(row, "|"), "|"))
			continue
		}
		var part [4][]byte
		for i, s := range strings.Split(line[2:], " ") {
			if part[i], err = hex.DecodeString(s); err != nil {
				t.Fatal(err)
			}
		}
		p.cells = append(p.cells, phoenixCell{key: part[0], family: string(part[1]), qualifier: part[2], value: part[3]})
	}
	return out
}

// here is the table's name after an import.
func (p *phoenixTable) here() string {
	parts := strings.Split(p.name, ".")
	for i, s := range parts {
		if s == strings.ToUpper(s) {
			s = strings.ToLower(s)
		}
		parts[i] = `"` + s + `"`
	}
	return strings.Join(parts, ".")
}

// lift puts the cells into a storage table, as an import of an HBase snapshot does. Those of
// local indexes cannot come along: no store takes their family's name.
func (p *phoenixTable) lift(t testing.TB, store storage.Store) {
	if p.view {
		return
	}
	ctx := context.Background()
	spec := storage.TableSpec{Name: p.name}
	for _, f := range []string{"0", "A", "B", "CF", "D", "F", "F1", "X", "Y", "Z", "f"} { // those without cells, too
		spec.Families = append(spec.Families, storage.FamilySpec{Name: f, MaxVersions: 1})
	}
	if err := store.Admin().CreateTable(ctx, spec); err != nil {
		t.Fatal(err)
	}
	var rows []storage.RowMutation
	for _, c := range p.cells {
		if strings.HasPrefix(c.family, "L#") {
			continue
		}
		if n := len(rows); n == 0 || !bytes.Equal(c.key, rows[n-1].Key) {
			rows = append(rows, storage.RowMutation{Key: c.key})
		}
		r := &rows[len(rows)-1]
		r.Mutations = append(r.Mutations, storage.Mutation{
			Op: storage.SetCell, Family: c.family, Qualifier: c.qualifier, Timestamp: 1_700_000_000_000_000, Value: c.value,
		})
	}
	if err := store.Table(p.name).Mutate(ctx, rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

func (p *phoenixTable) attach() string {
	return "ATTACH TABLE " + p.create + " FROM '" + p.name + "'"
}

// phoenixValue gives a value as Phoenix's getString writes it and as saltsql's text one
// form, by the column's type.
func phoenixValue(t testing.TB, s, typ string) string {
	if elem, ok := strings.CutSuffix(typ, "[]"); ok {
		s = strings.Trim(s, "[]{}")
		var list []string
		for _, e := range strings.Split(s, ",") {
			list = append(list, phoenixValue(t, strings.Trim(strings.TrimSpace(e), "'"), elem))
		}
		return strings.Join(list, ",")
	}
	base, _, _ := strings.Cut(typ, "(")
	switch base {
	case "boolean":
		return s[:1]
	case "character":
		return strings.TrimRight(s, " ")
	case "bytea":
		s = strings.ToLower(strings.TrimPrefix(s, `\x`))
		for strings.HasSuffix(s, "ff") {
			s = s[:len(s)-2] // Phoenix loses one at the end of a row key
		}
		return s
	case "real", "double precision":
		f, err := strconv.ParseFloat(s, 64)
		if err != nil {
			t.Fatal(err)
		}
		return strconv.FormatFloat(f, 'g', -1, 64)
	case "numeric":
		// getString cuts to three digits.
		r, _ := new(big.Rat).SetString(exactNumber(t, s))
		r.SetString(r.FloatString(3))
		return r.RatString()
	}
	if strings.HasPrefix(typ, "time(") {
		s = s[strings.IndexByte(s, ' ')+1:] // Phoenix keeps a date beside it
	}
	if strings.HasPrefix(typ, "time") && strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	return s
}

func exactNumber(t testing.TB, s string) string {
	r, ok := new(big.Rat).SetString(strings.ReplaceAll(s, ",", ""))
	if !ok {
		t.Fatalf("%q is no number", s)
	}
	return r.RatString()
}

// phoenixRows puts rows of either into a form that compares, in order.
func phoenixRows(t testing.TB, cols []saltsql.Column, rows [][]string) []string {
	return comparedRows(t, cols, rows, func(t testing.TB, v string, c saltsql.Column) string { return phoenixValue(t, v, c.Type.String()) })
}

func comparedRows(t testing.TB, cols []saltsql.Column, rows [][]string, value func(testing.TB, string, saltsql.Column) string) []string {
	var out []string
	for _, r := range rows {
		if len(r) != len(cols) {
			t.Fatalf("%d values for %d columns: %q", len(r), len(cols), r)
		}
		var b strings.Builder
		for i, v := range r {
			if v != "null" {
				if v = value(t, v, cols[i]); v == "" {
					v = "null" // what Phoenix makes of it
				}
			}
			b.WriteString(v + "|")
		}
		out = append(out, b.String())
	}
	slices.Sort(out)
	return out
}

func sessionRows(t testing.TB, s *saltsql.Session, sql string) ([]saltsql.Column, [][]string) {
	rows, err := s.Query(context.Background(), sql)
	if err != nil {
		t.Fatalf("%s\n%v", sql, err)
	}
	cols := slices.Clone(rows.Columns())
	got, _, err := harness.ReadRows(rows)
	if err != nil {
		t.Fatalf("%s\n%v", sql, err)
	}
	var out [][]string
	for _, r := range got {
		var row []string
		for _, v := range r {
			if v == nil {
				row = append(row, "null")
			} else {
				row = append(row, *v)
			}
		}
		out = append(out, row)
	}
	return cols, out
}

// TestPhoenixTables attaches tables that Phoenix wrote by Phoenix's own statements and
// compares what is read with what Phoenix read: whole tables, each row by its key, and
// again after each row was written back.
func TestPhoenixTables(t *testing.T) {
	seeds.Sometimes(t)
	tables := readPhoenix(t, "testdata/phoenix/tables.txt")
	for _, v := range []variant{{"mem", 0, false}, {"pebble", 0, false}, {"bigtable", 0, false}, {"mem", 0, true}} {
		t.Run(v.String(), func(t *testing.T) {
			store := harness.Stores[v.store](t)
			defer store.Close()
			db, err := saltsql.Open(context.Background(), store, &saltsql.Options{Logger: harness.Quiet})
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			rules := "on"
			if v.rulesOff {
				rules = "off"
			}
			s, err := db.NewSession(saltsql.SessionOptions{Settings: map[string]string{"saltsql.rules": rules}})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			rows := 0
			for i := range tables {
				p := &tables[i]
				p.lift(t, store)
				sessionRows(t, s, p.attach())
				cols, got := sessionRows(t, s, "SELECT * FROM "+p.name)
				want := phoenixRows(t, cols, p.rows)
				if have := phoenixRows(t, cols, got); !slices.Equal(have, want) {
					t.Fatalf("%s\n%s", p.create, differing(have, want))
				}
				rows += len(want)
				if v.store == "bigtable" {
					continue
				}
				for _, r := range got {
					if _, one := sessionRows(t, s, "SELECT * FROM "+p.name+p.whereKey(cols, r)); len(one) != 1 || !slices.Equal(one[0], r) {
						t.Fatalf("%s%s\n%q, not %q", p.create, p.whereKey(cols, r), one, r)
					}
				}
				if v.rulesOff {
					continue
				}
				before := dump(t, store, p.name, p.name)
				for _, r := range got {
					p.write(t, s, cols, r)
				}
				if _, again := sessionRows(t, s, "SELECT * FROM "+p.name); !slices.Equal(phoenixRows(t, cols, again), want) {
					t.Fatalf("%s\nafter writing\n%s", p.create, differing(phoenixRows(t, cols, again), want))
				}
				p.sameCells(t, before, dump(t, store, p.name, p.name))
			}
			t.Logf("%d tables, %d rows", len(tables), rows)
		})
	}
}

func differing(have, want []string) string {
	var b strings.Builder
	for _, h := range have {
		if !slices.Contains(want, h) {
			fmt.Fprintf(&b, "saltsql %s\n", h)
		}
	}
	for _, w := range want {
		if !slices.Contains(have, w) {
			fmt.Fprintf(&b, "Phoenix %s\n", w)
		}
	}
	return b.String()
}

func quotedLiteral(v, typ string) string {
	if v == "null" {
		return "NULL"
	}
	return "'" + strings.ReplaceAll(v, "'", "''") + "'::" + typ
}

func (p *phoenixTable) keys() int {
	return strings.Count(p.create[:strings.Index(p.create, "CONSTRAINT")], "K")
}

func (p *phoenixTable) whereKey(cols []saltsql.Column, row []string) string {
	var b strings.Builder
	for i := range p.keys() {
		b.WriteString([]string{" WHERE ", " AND "}[min(i, 1)] + cols[i].Name)
		if row[i] == "null" {
			b.WriteString(" IS NULL")
		} else {
			b.WriteString(" = " + quotedLiteral(row[i], cols[i].Type.String()))
		}
	}
	return b.String()
}

// write puts a row back as it was read. What was read of a TIME has lost its date, so
// those columns are left as they are.
func (p *phoenixTable) write(t testing.TB, s *saltsql.Session, cols []saltsql.Column, row []string) {
	var names, vals []string
	for i, c := range cols {
		if strings.HasPrefix(c.Type.String(), "time(") {
			if i < p.keys() {
				return
			}
			continue
		}
		names, vals = append(names, c.Name), append(vals, quotedLiteral(row[i], c.Type.String()))
	}
	sessionRows(t, s, fmt.Sprintf("UPSERT INTO %s (%s) VALUES (%s)", p.name, strings.Join(names, ", "), strings.Join(vals, ", ")))
}

// sameCells: what was there has the same bytes. Not there any more may be NULLs that were
// cells of no bytes, in packed rows too, and packed cells without a value.
func (p *phoenixTable) sameCells(t testing.TB, before, after []string) {
	packed := strings.Contains(p.create, "SINGLE_CELL")
	for _, cell := range before {
		_, value, _ := strings.Cut(cell, "= ")
		switch {
		case slices.Contains(after, cell), value == "":
		case packed && (strings.Contains(p.create, "STORE_NULLS") || strings.Contains(p.create, "DEFAULT")):
		case packed && value[len(value)-18:len(value)-10] == "00000001": // the offsets begin behind the marker
		default:
			t.Fatalf("%s\n%s is gone from\n%s", p.create, cell, strings.Join(after, "\n"))
		}
	}
}

// TestPhoenixUndecodable: a cell that is no value is that row's error, with its key and
// column, or is left out and counted.
func TestPhoenixUndecodable(t *testing.T) {
	ctx := context.Background()
	for _, name := range []string{"mem", "pebble", "bigtable"} {
		for _, salt := range []int{0, 4} {
			t.Run(fmt.Sprintf("%s/salt-%d", name, salt), func(t *testing.T) {
				store := harness.Stores[name](t)
				defer store.Close()
				db, err := saltsql.Open(ctx, store, &saltsql.Options{Logger: harness.Quiet})
				if err != nil {
					t.Fatal(err)
				}
				defer db.Close()
				p := phoenixTable{name: "T", create: "t (k VARCHAR DESC, n INTEGER NOT NULL, v INTEGER, w VARCHAR CONSTRAINT pk PRIMARY KEY (k DESC, n))"}
				p.create = strings.Replace(p.create, "VARCHAR DESC,", "VARCHAR,", 1)
				p.lift(t, store)
				var notices []string
				s, err := db.NewSession(saltsql.SessionOptions{Notice: func(e *saltsql.Notice) { notices = append(notices, e.Message) }})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				attach := fmt.Sprintf("ATTACH TABLE %s SALT_BUCKETS = %d FROM 'T'", p.create, salt)
				sessionRows(t, s, attach)
				for i := range 40 {
					sessionRows(t, s, fmt.Sprintf("UPSERT INTO t VALUES ('r%02d', %d, %d, 'w')", i, i, i))
				}
				bad := breakCell(t, store, "T", 7)
				_, _, err = harness.Run(ctx, s, "SELECT * FROM t")
				var e *saltsql.Error
				if !errors.As(err, &e) || e.Code != "XX001" || e.Column != "v" || !strings.Contains(e.Detail, strings.ToUpper(hex.EncodeToString(bad))) {
					t.Fatalf("%v %+v", err, e)
				}
				sessionRows(t, s, "SET saltsql.skip_undecodable = on")
				for _, q := range []string{"SELECT * FROM t", "SELECT v FROM t", "SELECT * FROM t ORDER BY k DESC, n", "SELECT * FROM t ORDER BY k, n LIMIT 39", "SELECT v FROM t WHERE v >= 0"} {
					notices = nil
					_, rows := sessionRows(t, s, q)
					if len(rows) != 39 || len(notices) != 1 || notices[0] != "rows that could not be decoded were left out: 1" {
						t.Fatalf("%s: %d rows, %q", q, len(rows), notices)
					}
				}
				if _, rows := sessionRows(t, s, "SELECT k, w FROM t"); len(rows) != 40 {
					t.Fatalf("%d rows without the column", len(rows))
				}
			})
		}
	}
}

// breakCell cuts the n-th row's cell of column v and gives the row's key.
func breakCell(t testing.TB, store storage.Store, table string, n int) []byte {
	ctx := context.Background()
	sc, err := store.Table(table).Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	var b storage.RowBatch
	err = sc.Next(&b)
	if err := errors.Join(err, sc.Close()); err != nil {
		t.Fatal(err)
	}
	key := bytes.Clone(b.Key(n))
	err = store.Table(table).Mutate(ctx, []storage.RowMutation{{Key: key, Mutations: []storage.Mutation{{
		Op: storage.SetCell, Family: "0", Qualifier: []byte{0x80, 0x0B}, Timestamp: 4_000_000_000_000_000, Value: []byte{1, 2, 3},
	}}}}, storage.WriteOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return key
}
