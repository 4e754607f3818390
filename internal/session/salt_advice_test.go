package session

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/saltadvice"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/mem"
)

// advisedLoad is a load of a table t (a int, b bigint, v int) with a key of a and b.
type advisedLoad struct {
	name string
	salt string // of CREATE TABLE
	key  string // "a, b" where it is empty
	// row gives the i-th row that is written.
	row func(r *rand.Rand, i int) (a, b int64)
	// Of each sampled operation: parts that look up rows written, and that scan; the rest writes.
	points, scans float64
	rows          float64 // that a scan reads in each bucket
	statement     string  // that scans
	nodes         int     // 8 where it is 0
	minutes       int     // 15 where it is 0
	busy          float64 // nodes' work in all; 1 where it is 0
	rowMax        float64

	rule string // that fires; "" is none
	ddl  string // what its DDL has
	not  string // and has not
}

func onlyLog(_ *rand.Rand, i int) (a, b int64)     { return 1, int64(i) }
func manyTenants(r *rand.Rand, i int) (a, b int64) { return int64(r.IntN(5000)), int64(i) }
func randomKeys(r *rand.Rand, i int) (a, b int64) {
	return int64(r.Uint32()) - math.MaxInt32, int64(r.Uint32())
}
func oneBusy(r *rand.Rand, i int) (a, b int64) {
	if r.IntN(2) == 0 {
		return 7, int64(i)
	}
	return int64(r.IntN(5000)), int64(i)
}

// advisedLoads are loads of which each makes one rule fire.
var advisedLoads = []advisedLoad{
	{name: "an unsalted log", row: onlyLog, rule: "growing", ddl: "SET SALT_BUCKETS = 8 FORWARD ON (b)"},
	{name: "a log by time, read by host", key: "b, a", row: func(r *rand.Rand, i int) (int64, int64) { return int64(r.IntN(500)), int64(i) }, scans: 0.2, rows: 5,
		statement: "SELECT * FROM t WHERE a = 5 AND b > 7", rule: "growing", ddl: "PRIMARY KEY (a, b)"},
	{name: "a log that is written backwards", row: func(_ *rand.Rand, i int) (int64, int64) { return 1, -int64(i) }, rule: "growing", ddl: "SET SALT_BUCKETS = 8", not: "FORWARD"},
	{name: "salt by a column with a busy value", salt: "SALT_BUCKETS = 16, SALT_COLUMNS = (a)", row: oneBusy, rule: "few values", ddl: "SALT_COLUMNS = (a, b) FORWARD ON (b)"},
	{name: "an unsalted key with a busy first value", row: oneBusy, rule: "few values", ddl: "SET SALT_BUCKETS = 8"},
	{name: "one row that is counted in", salt: "SALT_BUCKETS = 8", row: func(r *rand.Rand, i int) (int64, int64) {
		if r.IntN(4) == 0 {
			return 1, 1
		}
		return manyTenants(r, i)
	}, rule: "one hot key"},
	{name: "scans of few rows in many buckets", salt: "SALT_BUCKETS = 64", row: onlyLog, scans: 0.6, rows: 1, statement: "SELECT * FROM t WHERE b > 5 ORDER BY a, b LIMIT 20",
		rule: "N too large", ddl: "SET SALT_BUCKETS = 8"},
	{name: "scans of one order's lines", salt: "SALT_BUCKETS = 8", row: func(_ *rand.Rand, i int) (int64, int64) { return int64(i / 3), int64(i % 3) }, scans: 0.5, rows: 1,
		statement: "SELECT * FROM t WHERE a = 5 ORDER BY b LIMIT 10", rule: "prunable", ddl: "SALT_COLUMNS = (a)"},
	{name: "salt on random keys", salt: "SALT_BUCKETS = 8", row: randomKeys, scans: 0.4, rows: 3, statement: "SELECT * FROM t WHERE a > 5 ORDER BY a, b LIMIT 10", rule: "needless",
		ddl: "SET SALT_BUCKETS = 0"},
	{name: "the newest rows of a tenant", row: manyTenants, scans: 0.5, rows: 5, statement: "SELECT * FROM t WHERE a = 5 ORDER BY b DESC LIMIT 10", rule: "newest first", ddl: "b DESC"},
	{name: "large rows", salt: "SALT_BUCKETS = 8", row: manyTenants, busy: 0.01, rowMax: 40e6, rule: "wide rows"},
	{name: "a hash that the keys are the worst of", salt: "SALT_BUCKETS = 31", row: func(_ *rand.Rand, i int) (int64, int64) { return 0, int64(i) << 16 }, rule: "bad hash", ddl: "SET SALT_BUCKETS = 32"},
}

// goodLoads are 30 and more, of which nothing is to be said.
func goodLoads() (list []advisedLoad) {
	add := func(l advisedLoad) { list = append(list, l) }
	for _, nodes := range []int{4, 8, 16} {
		own := fmt.Sprintf("SALT_BUCKETS = %d", nodes)
		add(advisedLoad{name: "a salted log", salt: own, row: onlyLog, nodes: nodes})
		add(advisedLoad{name: "a salted log that is read by key", salt: own, row: onlyLog, points: 0.7, nodes: nodes})
		add(advisedLoad{name: "a salted log that is scanned", salt: own, row: onlyLog, scans: 0.05, rows: 200, statement: "SELECT * FROM t WHERE b > 10", nodes: nodes})
		add(advisedLoad{name: "tenants by salt", salt: own + ", SALT_COLUMNS = (a)", row: manyTenants, scans: 0.05, rows: 50, statement: "SELECT * FROM t WHERE a = 5", nodes: nodes})
		add(advisedLoad{name: "random keys", row: randomKeys, nodes: nodes})
		add(advisedLoad{name: "random keys that are read", row: randomKeys, points: 0.9, nodes: nodes})
		add(advisedLoad{name: "random keys that are scanned", row: randomKeys, scans: 0.3, rows: 10, statement: "SELECT * FROM t WHERE a > 10 ORDER BY a, b LIMIT 100", nodes: nodes})
		add(advisedLoad{name: "twice the buckets", salt: fmt.Sprintf("SALT_BUCKETS = %d", 2*nodes), row: onlyLog, points: 0.3, nodes: nodes})
		add(advisedLoad{name: "a log of little load", row: onlyLog, busy: 0.1, nodes: nodes})
		add(advisedLoad{name: "a log of ten minutes", row: onlyLog, minutes: 10, nodes: nodes})
		add(advisedLoad{name: "some scans backward", salt: own, row: onlyLog, scans: 0.05, rows: 50, statement: "SELECT * FROM t ORDER BY a DESC, b DESC LIMIT 50", nodes: nodes})
	}
	return list
}

// samples are those of the load, on average 105 for each node and minute, of until and before.
func (l *advisedLoad) samples(t *testing.T, table *catalog.Table, until time.Time) (list []heat.Sample, buckets []heat.Counts) {
	t.Helper()
	plain, err := table.WithSalt(catalog.Salt{})
	if err != nil {
		t.Fatal(err)
	}
	key, real := &plain.Codec().Key, &table.Codec().Key
	buckets = make([]heat.Counts, max(table.Buckets(), 1))
	r := rand.New(rand.NewPCG(39, 12))
	n := min(105*l.nodes, heat.MinuteSamples)
	weight := l.busy * 60 * 14_000 / float64(n)
	var written [][]byte
	for m := range l.minutes {
		for i := range n {
			at := until.Add(time.Duration(m-l.minutes)*time.Minute + time.Duration(i)*time.Minute/time.Duration(n))
			s := heat.Sample{Kind: heat.Write, At: at, Weight: weight}
			x := r.Float64()
			switch {
			case len(written) > 100 && x < l.points:
				s.Kind, s.Key = heat.Point, written[r.IntN(len(written))]
			case len(written) > 100 && x < l.points+l.scans:
				s.Kind, s.Key = heat.Scan, written[r.IntN(len(written))]
				row := s
				row.Kind, row.Weight = heat.Row, l.rows*s.Weight
				list = append(list, row)
			default:
				a, b := l.row(r, m*n+i)
				vals := []types.Datum{types.NewInt(a), types.NewInt(b)}
				if strings.HasPrefix(l.key, "b") {
					vals[0], vals[1] = vals[1], vals[0]
				}
				k, err := key.AppendKey(nil, vals)
				if err != nil {
					t.Fatal(err)
				}
				s.Key = k
				written = append(written, k)
			}
			b, err := real.BucketOf(s.Key)
			if err != nil {
				t.Fatal(err)
			}
			s.Bucket = max(b, 0)
			if s.Kind == heat.Write {
				buckets[s.Bucket].RowsWritten += int64(weight)
			}
			list = append(list, s)
		}
	}
	return list, buckets
}

// advised runs a load's statements and gives what is advised for its samples.
func (l *advisedLoad) advised(t *testing.T) (list []saltadvice.Advice, run func(sql string)) {
	t.Helper()
	if l.nodes == 0 {
		l.nodes = 8
	}
	if l.minutes == 0 {
		l.minutes = 15
	}
	if l.busy == 0 {
		l.busy = 1
	}
	if l.key == "" {
		l.key = "a, b"
	}
	store := mem.New()
	db, err := Open(context.Background(), store, &Options{TrackStatements: 100})
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		db.Close()
		store.Close()
	})
	run = func(sql string) {
		t.Helper()
		rows, err := s.Query(context.Background(), sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		for rows.Next() {
		}
		rows.Close()
		if err := rows.Err(); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
	}
	salt := l.salt
	if salt == "" {
		salt = "SALT_BUCKETS = 0"
	}
	run("CREATE TABLE t (a int, b bigint, v int, PRIMARY KEY (" + l.key + ")) " + salt)
	run("INSERT INTO t SELECT g % 10, g, g FROM generate_series(1, 3000) g")
	run("ANALYZE t")
	if l.statement != "" {
		run(l.statement)
		run(l.statement)
	}
	var table *catalog.Table
	for _, of := range s.snapshot().Tables() {
		if of.Name == "t" {
			table = of
		}
	}
	f, now := sessionFuncs{s}, time.Now()
	e := saltadvice.Evidence{Until: now, Planner: s.plannerContext(s.snapshot(), nil, false)}
	e.Table, e.Nodes, e.RowMax, e.Statements = table, l.nodes, l.rowMax, f.statementsOf(table)
	e.Samples, e.Buckets = l.samples(t, table, now)
	if list, err = e.Advise(); err != nil {
		t.Fatal(err)
	}
	return list, run
}

// TestAdviceRules: each rule fires on its load alone, and its DDL runs.
func TestAdviceRules(t *testing.T) {
	fired := map[string]bool{}
	for _, l := range advisedLoads {
		t.Run(l.name, func(t *testing.T) {
			list, run := l.advised(t)
			for _, a := range list {
				t.Logf("%s: %s\n%s\ngain %.2f", a.Rule, a.Evidence, a.DDL, a.Gain)
			}
			if len(list) != 1 || list[0].Rule != l.rule {
				t.Fatalf("%d advices, want %s alone", len(list), l.rule)
			}
			fired[l.rule] = true
			a := list[0]
			if !strings.Contains(a.DDL, l.ddl) || (l.ddl == "") != (a.DDL == "") {
				t.Errorf("the DDL is %q, want %q in it", a.DDL, l.ddl)
			}
			if l.not != "" && strings.Contains(a.DDL, l.not) {
				t.Errorf("the DDL is %q, and must not have %q", a.DDL, l.not)
			}
			for _, sql := range strings.Split(a.DDL, ";\n") {
				if sql != "" {
					run(sql)
				}
			}
		})
	}
	for _, r := range []string{"growing", "few values", "one hot key", "N too large", "prunable", "needless", "newest first", "wide rows", "bad hash"} {
		if !fired[r] {
			t.Errorf("no load makes %q fire", r)
		}
	}
}

// TestAdviceSilence: nothing is advised for good loads.
func TestAdviceSilence(t *testing.T) {
	list := goodLoads()
	if len(list) < 30 {
		t.Fatalf("%d good loads", len(list))
	}
	for i := range seeds.Amount(8, len(list)) {
		l := list[i*len(list)/seeds.Amount(8, len(list))]
		t.Run(fmt.Sprintf("%s/%d", l.name, l.nodes), func(t *testing.T) {
			got, _ := l.advised(t)
			for _, a := range got {
				t.Errorf("%s: %s\n%s\ngain %.2f", a.Rule, a.Evidence, a.DDL, a.Gain)
			}
		})
	}
}
