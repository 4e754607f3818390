package conformance

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
)

var rewrite = flag.Bool("rewrite", false, "write the answers of the first variant (of PostgreSQL, for pg_ files) into the files")

// TestSLT runs every file over all variants, in a plain run a quarter of them. On the emulator, whose
// scans are slow, it runs fewer salts.
func TestSLT(t *testing.T) {
	t.Parallel()
	for i, path := range sltFiles(t, "*.slt") {
		if !seeds.HasTurn(i, 4) && !*rewrite {
			continue
		}
		f, err := slt.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimSuffix(filepath.Base(path), ".slt"), func(t *testing.T) {
			for _, v := range sltVariants(i) {
				t.Run(v.String(), func(t *testing.T) {
					faults, got := slt.Run(context.Background(), f, engine{v, v.open(t)})
					if *rewrite && !strings.HasPrefix(filepath.Base(path), "pg_") {
						if err := f.Rewrite(got); err != nil {
							t.Fatal(err)
						}
						t.SkipNow()
					}
					for _, fault := range faults {
						t.Error(fault)
					}
				})
				if *rewrite {
					break
				}
			}
		})
	}
}

// TestSLTDirections runs the files that leave the order of key columns open with every
// combination of ascending and descending ones, over the variants by turns.
func TestSLTDirections(t *testing.T) {
	t.Parallel()
	variants := []variant{{"pebble", 0, false}, {"pebble", 4, false}, {"pebble", 256, false}, {"pebble", 16, true}, {"mem", 16, false}}
	type directions struct {
		f    *slt.File
		name string
		desc uint
	}
	var cases []directions
	for _, path := range sltFiles(t, "*.slt") {
		f, err := slt.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		for desc := uint(1); desc < 1<<f.Directions(); desc++ {
			cases = append(cases, directions{f, strings.TrimSuffix(filepath.Base(path), ".slt"), desc})
		}
	}
	for n := range seeds.Part(t, len(cases), 15*time.Second) {
		c := cases[n]
		for i, v := range variants {
			if (n+i)%len(variants) > 1 {
				continue
			}
			t.Run(fmt.Sprintf("%s/desc-%03b/%s", c.name, c.desc, v), func(t *testing.T) {
				faults, _ := slt.Run(context.Background(), c.f, directed{engine{v, v.open(t)}, c.desc})
				for _, fault := range faults {
					t.Error(fault)
				}
			})
		}
	}
}

// directed is an engine with descending key columns.
type directed struct {
	engine
	desc uint
}

func (d directed) Desc() uint { return d.desc }

// sltFiles are the written files and those of regressions, which TestRandom found.
func sltFiles(t *testing.T, pattern string) []string {
	var all []string
	for _, dir := range []string{"testdata", "regressions"} {
		paths, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(paths) == 0 {
			t.Fatal("no files", err)
		}
		all = append(all, paths...)
	}
	return all
}

// TestSLTOnPostgres runs the pg_ files on a real PostgreSQL, which has the
// last word on their answers, and once more with ties in random order: an order
// that a file expects must follow from its query.
func TestSLTOnPostgres(t *testing.T) {
	t.Parallel()
	dsn := pgtest.Start(t)
	if _, err := (postgres{dsn: dsn, schema: "public"}).exec(t.Context(), "CREATE DATABASE shuffled"); err != nil {
		t.Fatal(err)
	}
	paths := sltFiles(t, "pg_*.slt")
	part := seeds.Part(t, len(paths), seeds.Whole)
	if *rewrite { // what is not in part, too
		part = maps.Keys(maps.Collect(slices.All(paths)))
	}
	for i := range part {
		path := paths[i]
		t.Run(strings.TrimSuffix(filepath.Base(path), ".slt"), func(t *testing.T) {
			f, err := slt.Parse(path)
			if err != nil {
				t.Fatal(err)
			}
			e := postgres{dsn: dsn, schema: "t_" + strings.TrimSuffix(filepath.Base(path), ".slt")}
			faults, got := slt.Run(context.Background(), f, e)
			if *rewrite {
				if err := f.Rewrite(got); err != nil {
					t.Fatal(err)
				}
				return
			}
			for _, fault := range faults {
				t.Error(fault)
			}
			if !seeds.Full() && seeds.Turn(i, 6) > 0 {
				return
			}
			e.dsn, e.shuffled = dsn+" dbname=shuffled", true
			faults, _ = slt.Run(context.Background(), f, e)
			for _, fault := range faults {
				t.Errorf("its rows in another order: %v", fault)
			}
		})
	}
}

// postgres is a real PostgreSQL; each file has a schema of its own.
type postgres struct {
	dsn, schema string
	shuffled    bool // rows that compare equal come in random order
}

func (postgres) Names() []string { return []string{"postgres", "unsalted"} }
func (postgres) Salt() string    { return "" }
func (postgres) Buckets() int    { return 1 }
func (postgres) Desc() uint      { return 0 }
func (postgres) RulesOff() bool  { return false }

func (p postgres) Open(ctx context.Context) (slt.Conn, error) {
	c, err := pgconn.Connect(ctx, p.dsn)
	if err != nil {
		return nil, err
	}
	_, err = c.Exec(ctx, "CREATE SCHEMA IF NOT EXISTS "+p.schema+"; SET search_path = "+p.schema+"; SET timezone = 'UTC'").ReadAll()
	if p.shuffled {
		return shuffledConn{pgConn{c}}, err
	}
	return pgConn{c}, err
}

// exec runs one statement in a session of its own.
func (p postgres) exec(ctx context.Context, sql string) (rows [][]*string, err error) {
	c, err := p.Open(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	rows, _, err = c.Exec(ctx, sql)
	return rows, err
}

// shuffledConn adds random() to a query's own ORDER BY where PostgreSQL takes it.
type shuffledConn struct{ pgConn }

func (s shuffledConn) Exec(ctx context.Context, sql string) ([][]*string, string, error) {
	lower := strings.ToLower(sql)
	at := strings.LastIndex(lower, "order by ")
	if at >= 0 && s.c.TxStatus() == 'I' && strings.Count(lower[at:], ")") == strings.Count(lower[at:], "(") && !strings.Contains(lower[at:], "with ties") {
		end := len(sql)
		for _, word := range []string{" limit ", " offset ", " fetch "} {
			if i := strings.Index(lower[at:], word); i >= 0 {
				end = min(end, at+i)
			}
		}
		rows, tag, err := s.pgConn.Exec(ctx, sql[:end]+", random()"+sql[end:])
		if err == nil {
			return rows, tag, nil
		}
	}
	return s.pgConn.Exec(ctx, sql)
}

type pgConn struct{ c *pgconn.PgConn }

func (p pgConn) Close() { p.c.Close(context.Background()) }

func (p pgConn) Exec(ctx context.Context, sql string) ([][]*string, string, error) {
	results, err := p.c.Exec(ctx, sql).ReadAll()
	if err != nil || len(results) == 0 {
		return nil, "", err
	}
	r := results[len(results)-1]
	var out [][]*string
	for _, row := range r.Rows {
		var cells []*string
		for _, v := range row {
			if v == nil {
				cells = append(cells, nil)
				continue
			}
			s := string(v)
			cells = append(cells, &s)
		}
		out = append(out, cells)
	}
	return out, r.CommandTag.String(), nil
}
