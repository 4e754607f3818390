package conformance

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage"
)

var formatSeed = flag.Uint64("format-seed", 0, "seed of TestKeyFormatRandom; 0 takes that of internal/seeds")

// foreignStore is a store with tables of others.
type foreignStore struct {
	storage.Store
	db *saltsql.DB
	*saltsql.Session
}

// openForeign opens a store that has empty storage tables of these names, with the family cf.
func openForeign(t *testing.T, name string, tables ...string) *foreignStore {
	f := openOver(t, harness.Stores[name](t))
	for _, n := range tables {
		f.createTable(t, n, "cf")
	}
	return f
}

// openOver opens a database and a session over a store, for the time of the test.
func openOver(t *testing.T, store storage.Store) *foreignStore {
	f := &foreignStore{Store: store}
	f.open(t)
	t.Cleanup(func() {
		f.Session.Close()
		f.db.Close()
		f.Store.Close()
	})
	return f
}

// createTable makes a storage table.
func (f *foreignStore) createTable(t *testing.T, name string, families ...string) {
	spec := storage.TableSpec{Name: name}
	for _, family := range families {
		spec.Families = append(spec.Families, storage.FamilySpec{Name: family})
	}
	if err := f.Admin().CreateTable(context.Background(), spec); err != nil {
		t.Fatal(err)
	}
}

// open opens the store, and again where it is.
func (f *foreignStore) open(t *testing.T) {
	if f.db != nil {
		f.Session.Close()
		f.db.Close()
	}
	var err error
	if f.db, err = saltsql.Open(context.Background(), f.Store, &saltsql.Options{Logger: harness.Quiet}); err == nil {
		f.Session, err = f.db.NewSession(saltsql.SessionOptions{})
	}
	if err != nil {
		t.Fatal(err)
	}
}

// putCells writes rows as others do: key, qualifier of cf, value.
func putCells(t *testing.T, store *foreignStore, table string, cells ...[3]string) {
	var rows []storage.RowMutation
	for _, c := range cells {
		rows = append(rows, storage.RowMutation{Key: []byte(c[0]), Mutations: []storage.Mutation{
			{Op: storage.SetCell, Family: "cf", Qualifier: []byte(c[1]), Timestamp: 1000, Value: []byte(c[2])}}})
	}
	if err := store.Table(table).Mutate(context.Background(), rows, storage.WriteOptions{}); err != nil {
		t.Fatal(err)
	}
}

// TestKeyFormat attaches tables in formats of others. What is read, written, refused and
// planned is in testdata/key_format.
func TestKeyFormat(t *testing.T) {
	for _, name := range []string{"mem", "pebble", "bigtable"} {
		t.Run(name, func(t *testing.T) {
			f := openForeign(t, name, "points", "users", "bad")
			putCells(t, f, "points",
				[3]string{"m#12#a#9223370332769675807", "value", "x"}, [3]string{"m#12#a#9223370332769675807", "n", "\xff\xff\xff\xff\xff\xff\xff\xfb"},
				[3]string{"m#12#a#9223370332769674807", "j", `{"a": [1, 2]}`}, [3]string{"m#07#a!#9223370332769675807", "n", "\x00\x00\x00\x00\x00\x00\x00\x07"},
				[3]string{"m#05#b#9223370332769675807", "proto", "\x08\x96\x01"}, [3]string{"another kind of row", "value", "x"})
			putCells(t, f, "users", [3]string{"a10000042", "name", "Ann"}, [3]string{"a10000042", "age", "33"}, [3]string{"8f0000007", "name", "Bob"})
			putCells(t, f, "bad", [3]string{"03#a", "v", "x"})
			f.playGolden(t, "testdata/key_format")
		})
	}
}

// playGolden runs the statements of golden.sql; each with its rows or what its error says is
// in golden.
func (f *foreignStore) playGolden(t *testing.T, golden string) {
	script, err := os.ReadFile(golden + ".sql")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for _, sql := range strings.Split(strings.TrimSpace(string(script)), ";\n") {
		sql = strings.TrimSuffix(sql, ";")
		b.WriteString(sql + ";\n")
		if sql == "-- open again" { // the catalog's stored form
			f.open(t)
			continue
		}
		rows, err := sessionTry(f.Session, sql)
		if err != nil {
			var e *saltsql.Error
			if errors.As(err, &e) {
				b.WriteString("    " + e.Code + ": " + e.Message + " | " + e.Detail + " | " + e.Hint + "\n")
			} else {
				b.WriteString("    " + err.Error() + "\n")
			}
		}
		for _, r := range rows {
			b.WriteString("    " + strings.Join(r, " | ") + "\n")
		}
	}
	isGolden(t, golden, b.String())
}

// isGolden holds got against what a file of testdata has, or writes it there.
func isGolden(t *testing.T, golden, got string) {
	t.Helper()
	if *rewritePhoenix {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	diffLines(t, string(want), got)
}

// sessionTry runs a statement and gives its rows as text, or its error with all it says.
func sessionTry(s *saltsql.Session, sql string) ([][]string, error) {
	rows, err := s.Query(context.Background(), sql)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out [][]string
	for rows.Next() {
		var r []string
		for _, v := range rows.Values() {
			r = append(r, fmt.Sprint(v))
		}
		out = append(out, r)
	}
	return out, rows.Err()
}

func diffLines(t *testing.T, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	w, g := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(w), len(g)) {
		a, b := "", ""
		if i < len(w) {
			a = w[i]
		}
		if i < len(g) {
			b = g[i]
		}
		if a != b {
			t.Fatalf("line %d:\n%s\nwant:\n%s", i+1, b, a)
		}
	}
}

// formatColumn is a column of a random key and how it may be written there.
type formatColumn struct {
	sql    string
	forms  []string
	values []string
}

var formatColumns = []formatColumn{
	{"text", []string{"%s TEXT", "%s"}, []string{"'a'", "'a!'", "'ab'", "''", "'b'", "'~'", "'é'", "'a b'"}},
	{"text", []string{"%s WIDTH 2"}, []string{"'aa'", "'ab'", "'zz'", "'  '", "'é'"}},
	{"bigint", []string{"%s", "%s WIDTH 6", "%s HEX WIDTH 6", "%s BINARY", "MAX - %s", "99999 - %s"}, []string{"0", "1", "2", "9", "10", "11", "42", "99999"}},
	{"integer", []string{"%s", "%s BINARY", "MAX - %s"}, []string{"0", "1", "2", "9", "10", "11", "2147483647"}},
	{"timestamp", []string{"%s MILLIS WIDTH 13", "MAX - %s", "%s SECONDS BINARY WIDTH 4", "MAX - %s MICROS"}, []string{"'2024-01-01'", "'2024-01-01 00:00:01'", "'1970-01-01'", "'2033-05-05 05:05:05'"}},
	{"uuid", []string{"%s", "%s HEX", "%s BINARY"}, []string{"'00000000-0000-0000-0000-000000000000'", "'00112233-4455-6677-8899-aabbccddeeff'", "'ffffffff-ffff-ffff-ffff-ffffffffffff'"}},
	{"date", []string{"%s"}, []string{"'2024-01-01'", "'2024-01-02'", "'0001-01-01'", "'9999-12-31'"}},
	{"bytea", []string{"%s WIDTH 2", "%s HEX WIDTH 4"}, []string{`'\x0000'`, `'\x00ff'`, `'\xffff'`, `'\x2323'`}},
}

// randomKeyFormat draws a key: the columns and the format's text.
func randomKeyFormat(r *rand.Rand) (cols []formatColumn, desc []bool, text string) {
	var items []string
	seps := []string{"'#'", "'|'", "'::'", "X'00'", "'~'"}
	n := 1 + r.IntN(3)
	for i := range n {
		c := formatColumns[r.IntN(len(formatColumns))]
		form := c.forms[r.IntN(len(c.forms))]
		cols, desc = append(cols, c), append(desc, strings.Contains(form, "- "))
		items = append(items, fmt.Sprintf(form, fmt.Sprintf("k%d", i)))
		if i < n-1 {
			items = append(items, seps[r.IntN(len(seps))])
		}
	}
	if r.IntN(4) > 0 {
		hashes := []string{"phoenix31", "fnv1a", "fnv1a64", "murmur3", "crc32", "md5", "sha1"}
		var args []string
		for _, i := range r.Perm(n)[:1+r.IntN(n)] {
			args = append(args, fmt.Sprintf("k%d", i))
			if r.IntN(4) == 0 {
				args = append(args, "'/'")
			}
		}
		how := []string{"% 1 DECIMAL WIDTH 2", "% 4 BINARY", "% 16 DECIMAL WIDTH 2", "% 16 HEX WIDTH 1", "% 100 WIDTH 3", "HEX WIDTH 1", "% 256 HEX WIDTH 2", "% 16 SIGNED DECIMAL"}[r.IntN(8)]
		salt := fmt.Sprintf("SALT %s(%s) %s", hashes[r.IntN(len(hashes))], strings.Join(args, ", "), how)
		items = append([]string{salt, "'#'"}, items...)
	}
	if r.IntN(3) == 0 {
		items = append([]string{"'lead/'"}, items...)
	}
	return cols, desc, strings.Join(items, ", ")
}

// TestKeyFormatRandom: a table in a random format answers as a plain table with the same
// rows does, before and after both are written, on every store.
func TestKeyFormatRandom(t *testing.T) {
	seeds.Sometimes(t)
	seed := *formatSeed
	if seed == 0 {
		seed = seeds.First(t)
	}
	tables := map[string]int{"mem": 40, "pebble": 25, "bigtable": 4}
	for _, name := range []string{"mem", "pebble", "bigtable"} {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(seed, 7))
			var names []string
			for i := range tables[name] {
				names = append(names, fmt.Sprintf("f%d", i))
			}
			f := openForeign(t, name, names...)
			asked, written := 0, 0
			for _, n := range names {
				a, w := tryRandomFormat(t, r, f.Session, n)
				asked, written = asked+a, written+w
			}
			t.Logf("%d queries, %d statements that write", asked, written)
		})
	}
}

func tryRandomFormat(t *testing.T, r *rand.Rand, s *saltsql.Session, name string) (asked, written int) {
	cols, desc, format := randomKeyFormat(r)
	var defs, key []string
	for i, c := range cols {
		defs = append(defs, fmt.Sprintf("k%d %s", i, c.sql))
		k := fmt.Sprintf("k%d", i)
		if desc[i] {
			k += " DESC"
		}
		key = append(key, k)
	}
	attach := fmt.Sprintf("ATTACH TABLE %s (%s, cf.n bigint, cf.v text) KEY FORMAT (%s) FROM '%s'", name, strings.Join(defs, ", "), format, name)
	mustRun(t, s, attach)
	mustRun(t, s, fmt.Sprintf("CREATE TABLE p%s (%s, n bigint, v text, PRIMARY KEY (%s)) SALT_BUCKETS = 4", name, strings.Join(defs, ", "), strings.Join(key, ", ")))
	value := func(i int) string { return cols[i].values[r.IntN(len(cols[i].values))] }
	both := func(verb, rest string) {
		t.Helper()
		rest = strings.ReplaceAll(rest, "%%", "%")
		_, err := sessionTry(s, verb+" "+name+" "+rest)
		if err != nil {
			if strings.Contains(err.Error(), "KEY FORMAT") || strings.Contains(err.Error(), "cannot be empty") {
				return // what the format cannot hold
			}
			t.Fatalf("%s\n%s %s %s: %v", attach, verb, name, rest, err)
		}
		mustRun(t, s, verb+" p"+name+" "+rest)
		written++
	}
	row := func() string {
		var vals []string
		for i := range cols {
			vals = append(vals, value(i))
		}
		vals = append(vals, []string{"1", "-7", "NULL", "100"}[r.IntN(4)], []string{"'x'", "NULL", "''"}[r.IntN(3)])
		return "(" + strings.Join(vals, ", ") + ")"
	}
	for range 40 {
		both("UPSERT INTO", "VALUES "+row())
	}
	term := func() string {
		i := r.IntN(len(cols))
		k := fmt.Sprintf("k%d", i)
		switch r.IntN(8) {
		case 0, 1, 2:
			return k + " = " + value(i)
		case 3:
			return fmt.Sprintf("%s IN (%s, %s)", k, value(i), value(i))
		case 4:
			return fmt.Sprintf("%s BETWEEN %s AND %s", k, value(i), value(i))
		case 5:
			if cols[i].sql == "text" {
				return k + " LIKE 'a%%'"
			}
			return k + " <> " + value(i)
		case 6:
			j := r.IntN(len(cols))
			return fmt.Sprintf("(%s, k%d) > (%s, %s)", k, j, value(i), value(j))
		}
		return k + []string{" > ", " >= ", " < ", " <= "}[r.IntN(4)] + value(i)
	}
	where := func() string {
		var terms []string
		for range r.IntN(len(cols) + 2) {
			x := term()
			if r.IntN(6) == 0 {
				x = "(" + x + " OR " + term() + ")"
			}
			terms = append(terms, x)
		}
		if r.IntN(5) == 0 {
			terms = append(terms, "n > 0")
		}
		if len(terms) == 0 {
			return ""
		}
		return " WHERE " + strings.Join(terms, " AND ")
	}
	compare := func(sql string, sorted bool) {
		t.Helper()
		got, err := sessionTry(s, fmt.Sprintf(sql, name))
		want, err2 := sessionTry(s, fmt.Sprintf(sql, "p"+name))
		if err != nil || err2 != nil {
			t.Fatalf("%s\n%s: %v, %v", attach, fmt.Sprintf(sql, name), err, err2)
		}
		g, w := flatten(got), flatten(want)
		if !sorted {
			slices.Sort(g)
			slices.Sort(w)
		}
		if !slices.Equal(g, w) {
			plan, _ := sessionTry(s, "EXPLAIN "+fmt.Sprintf(sql, name))
			t.Fatalf("%s\n%s\n%d rows %v\nwant %d %v\n%v", attach, fmt.Sprintf(sql, name), len(g), g, len(w), w, plan)
		}
		asked++
	}
	questions := func(n int) {
		t.Helper()
		for range n {
			switch r.IntN(6) {
			case 0, 1:
				compare("SELECT * FROM %s"+where(), false)
			case 2:
				var by []string
				for i := range cols {
					k := fmt.Sprintf("k%d", i)
					if desc[i] != (r.IntN(4) == 0) {
						k += " DESC"
					}
					by = append(by, k)
				}
				compare("SELECT * FROM %s"+where()+" ORDER BY "+strings.Join(by, ", ")+[]string{"", " LIMIT 3", " LIMIT 5 OFFSET 2"}[r.IntN(3)], true)
			case 3:
				k0 := "k0"
				if cols[0].sql == "uuid" || cols[0].sql == "bytea" {
					k0 = "k0::text"
				}
				compare("SELECT count(*), count(n), min("+k0+"), max("+k0+") FROM %s"+where(), true)
			case 4:
				compare("SELECT k0, count(*), max(n) FROM %s"+where()+" GROUP BY k0", false)
			case 5:
				compare("SELECT DISTINCT k0 FROM %s"+where()+" ORDER BY k0", true)
			}
		}
	}
	questions(25)
	for range 8 {
		switch r.IntN(3) {
		case 0:
			both("UPDATE", "SET n = coalesce(n, 0) + 1, v = 'y'"+where())
		case 1:
			both("DELETE FROM", strings.TrimSpace(where()+" "))
		case 2:
			both("INSERT INTO", "VALUES "+row()+" ON CONFLICT DO NOTHING")
		}
	}
	questions(10)
	return asked, written
}

func mustRun(t *testing.T, s *saltsql.Session, sql string) {
	t.Helper()
	if _, err := sessionTry(s, sql); err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
}

func flatten(rows [][]string) []string {
	var out []string
	for _, r := range rows {
		out = append(out, strings.Join(r, "|"))
	}
	return out
}

var formatRows = flag.Int("format-rows", 20_000, "rows of TestKeyFormatRows")

// TestKeyFormatRows attaches a table of many rows that others wrote, salted text keys: a
// point read reads one row, a range of one host one bucket, and a range of all hosts
// is merged in key order.
func TestKeyFormatRows(t *testing.T) {
	t.Parallel()
	const hosts, first = 100, 1_700_000_000_000
	n := *formatRows
	for _, name := range []string{"pebble", "bigtable"} {
		t.Run(name, func(t *testing.T) {
			f := openForeign(t, name, "events")
			fnv := func(s string) uint32 {
				h := uint32(2166136261)
				for i := range len(s) {
					h = (h ^ uint32(s[i])) * 16777619
				}
				return h
			}
			var cells [][3]string
			for i := range n {
				host := fmt.Sprintf("web-%03d", i%hosts)
				key := fmt.Sprintf("%02d#%s#%013d", fnv(host)%16, host, first+i/hosts)
				if cells = append(cells, [3]string{key, "v", fmt.Sprint(i)}); len(cells) == 5000 || i == n-1 {
					putCells(t, f, "events", cells...)
					cells = cells[:0]
				}
			}
			mustRun(t, f.Session, `ATTACH TABLE events (host text, ts timestamp, cf.v bigint FORMAT TEXT)
				KEY FORMAT (SALT fnv1a(host) % 16 WIDTH 2, '#', host WIDTH 7, '#', ts MILLIS WIDTH 13) FROM 'events'`)
			ask := func(sql string, rowsRead int, want ...string) {
				t.Helper()
				got, err := sessionTry(f.Session, sql)
				if err != nil || !slices.Equal(flatten(got), want) {
					t.Fatalf("%s: %v %v", sql, got, err)
				}
				plan, err := sessionTry(f.Session, "EXPLAIN ANALYZE "+sql)
				if err != nil {
					t.Fatal(err)
				}
				text := strings.Join(flatten(plan), "\n")
				t.Log(text)
				var read int
				if i := strings.LastIndex(text, "rows read "); i >= 0 {
					fmt.Sscanf(text[i:], "rows read %d", &read)
				}
				if read != rowsRead && rowsRead >= 0 {
					t.Errorf("%s reads %d rows, want %d\n%s", sql, read, rowsRead, text)
				}
			}
			ask("SELECT v FROM events WHERE host = 'web-042' AND ts = '2023-11-14 22:13:20.007'", 1, "742")
			ask("SELECT v FROM events WHERE host = 'web-042' AND ts >= '2023-11-14 22:13:20.007' AND ts < '2023-11-14 22:13:20.010' ORDER BY ts", 3, "742", "842", "942")
			ask("SELECT host, v FROM events WHERE host >= 'web-098' AND ts > '2023-11-14' ORDER BY host, ts LIMIT 2", -1, "web-098|98", "web-098|198")
			ask("SELECT host, v FROM events ORDER BY host DESC, ts DESC LIMIT 2", -1, fmt.Sprintf("web-099|%d", n-1), fmt.Sprintf("web-099|%d", n-101))
			ask("SELECT count(*), sum(v) FROM events", n, fmt.Sprintf("%d|%d", n, n*(n-1)/2))
		})
	}
}
