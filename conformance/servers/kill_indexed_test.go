package servers

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/storage/bigtable"
)

var indexKills = flag.Int("indexes.kills", seeds.Amount(2, 4), "how often TestKillIndexed kills one of its servers")

// indexedWriter writes rows of its own and fights over others', and keeps what was
// acknowledged of its own.
type indexedWriter struct {
	id      int
	rows    map[int]int // id -> a; absent: not there
	unknown map[int]bool
}

// run writes until stop is closed or its server is gone.
func (w *indexedWriter) run(t *testing.T, dsn string, r *rand.Rand, stop chan struct{}) {
	ctx := context.Background()
	c, err := pgx.Connect(ctx, dsn)
	if err != nil {
		return
	}
	defer c.Close(ctx)
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		id, a := w.id*1000+r.IntN(20), r.IntN(9)
		var sql string
		there, after := true, a
		switch r.IntN(6) {
		case 0:
			sql, there = fmt.Sprintf("DELETE FROM kx WHERE id = %d", id), false
		case 1:
			sql = fmt.Sprintf("UPSERT INTO kx VALUES (%d, %d, %d, 'u')", id, a, id)
		case 2:
			sql = fmt.Sprintf("INSERT INTO kx VALUES (%d, %d, %d, 'i') ON CONFLICT (id) DO UPDATE SET a = excluded.a", id, a, id)
		case 3: // all writers', of which nothing is kept
			sql, id = fmt.Sprintf("INSERT INTO kx VALUES (%d, %d, %d, 's') ON CONFLICT DO NOTHING", 90000+r.IntN(9), a, 90000+r.IntN(9)), -1
		case 4:
			sql, id = fmt.Sprintf("UPDATE kx SET a = %d, c = c || 'x' WHERE id = %d", a, 90000+r.IntN(9)), -1
		default:
			sql, id = fmt.Sprintf("DELETE FROM kx WHERE id = %d", 90000+r.IntN(9)), -1
		}
		_, err := c.Exec(ctx, sql)
		switch {
		case err == nil && id >= 0:
			delete(w.unknown, id)
			delete(w.rows, id)
			if there {
				w.rows[id] = after
			}
		case err != nil && id >= 0:
			w.unknown[id] = true
		}
		if err != nil {
			var e interface{ SQLState() string }
			if !errors.As(err, &e) {
				return // the server is gone
			}
			if code := e.SQLState(); code != "40001" && code != "23505" && code != "08006" && code[:2] != "57" {
				t.Errorf("%s: %v", sql, err)
			}
		}
	}
}

// TestKillIndexed kills one of three servers over one emulator, again and again, while clients
// write a table with three indexes through all of them. After each kill no entry is missing or
// wrong, queries by indexes and by none agree, and each acknowledged row is as it was left; in
// the end a repair leaves nothing to be found.
func TestKillIndexed(t *testing.T) {
	seeds.Sometimes(t)
	rounds := *indexKills
	if testing.Short() {
		rounds = min(rounds, 2)
	}
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 1))
	ps := startServers(t, 3)
	admin := ps[0].Connect(t)
	for _, sql := range []string{
		"CREATE TABLE kx (id INT PRIMARY KEY, a INT, u INT UNIQUE, c TEXT) SALT_BUCKETS = 4",
		"CREATE INDEX kx_a ON kx (a) INCLUDE (c)", "CREATE INDEX kx_c ON kx (c, a) WHERE a > 3 SALT_BUCKETS = 4",
	} {
		harness.MustExec(t, admin, sql)
	}
	writers := make([]*indexedWriter, 6)
	for i := range writers {
		writers[i] = &indexedWriter{id: i + 1, rows: map[int]int{}, unknown: map[int]bool{}}
	}
	for round := range rounds {
		stop := make(chan struct{})
		var wg sync.WaitGroup
		for i, w := range writers {
			p := ps[i%len(ps)]
			dsn := fmt.Sprintf("host=%s port=%d user=tester dbname=saltsql sslmode=disable", p.Host, p.Port)
			wr := rand.New(rand.NewPCG(seed, uint64(1000*round+i)))
			wg.Go(func() { w.run(t, dsn, wr, stop) })
		}
		time.Sleep(time.Duration(150+r.IntN(400)) * time.Millisecond)
		victim := r.IntN(len(ps))
		ps[victim].Kill()
		time.Sleep(50 * time.Millisecond)
		close(stop)
		wg.Wait()
		ps[victim] = harness.Start(t, testInstance, "--catalog-refresh", "50ms")
		checkIndexed(t, ps[(victim+1)%len(ps)], writers, round)
		if t.Failed() {
			return
		}
	}
	store, err := bigtable.Open(context.Background(), bigtable.Config{Project: "test", Instance: "test"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	later := openFaultServer(t, store, 2*time.Hour)
	defer later.close()
	later.faultsIn(t, "CHECK TABLE kx ALL REPAIR")
	if missing, wrong, stale := later.faultsIn(t, "CHECK TABLE kx ALL"); missing+wrong+stale > 0 {
		t.Errorf("after the repair %d entries are missing, %d wrong, %d stale", missing, wrong, stale)
	}
}

// checkIndexed looks at what a killed server has left, through another.
func checkIndexed(t *testing.T, p *harness.Process, writers []*indexedWriter, round int) {
	ctx := context.Background()
	c := p.Connect(t)
	defer c.Close(ctx)
	rows := func(sql string) map[string]bool {
		t.Helper()
		res, err := c.Query(ctx, sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		out := map[string]bool{}
		for res.Next() {
			vals, err := res.Values()
			if err != nil {
				t.Fatal(err)
			}
			out[fmt.Sprint(vals)] = true
		}
		if err := res.Err(); err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		return out
	}
	for _, q := range [][2]string{
		{"kx_a", "a, c, id FROM kx WHERE a >= 0"}, {"kx_c", "* FROM kx WHERE a > 3 AND c > ''"}, {"kx_u_key", "u, id FROM kx WHERE u > 0"},
	} {
		got, want := rows("SELECT /*+ INDEX(kx "+q[0]+") */ "+q[1]), rows("SELECT /*+ NO_INDEX */ "+q[1])
		for row := range got {
			if !want[row] {
				t.Errorf("round %d: %s by %s has %s", round, q[1], q[0], row)
			}
		}
		for row := range want {
			if !got[row] {
				t.Errorf("round %d: %s by %s lacks %s", round, q[1], q[0], row)
			}
		}
	}
	res, err := c.Query(ctx, "CHECK TABLE kx ALL")
	if err != nil {
		t.Fatal(err)
	}
	for res.Next() {
		vals, err := res.Values()
		if err != nil {
			t.Fatal(err)
		}
		if s := fmt.Sprint(vals[2:6]); s != "[0 0 0 0]" {
			t.Errorf("round %d: CHECK TABLE: %v", round, vals)
		}
	}
	if err := res.Err(); err != nil {
		t.Fatal(err)
	}
	there := map[int]int{}
	res, err = c.Query(ctx, "SELECT /*+ NO_INDEX */ id, a FROM kx WHERE id < 90000")
	if err != nil {
		t.Fatal(err)
	}
	for res.Next() {
		var id, a int
		if err := res.Scan(&id, &a); err != nil {
			t.Fatal(err)
		}
		there[id] = a
	}
	for _, w := range writers {
		for i := range 20 {
			id := w.id*1000 + i
			if w.unknown[id] {
				continue
			}
			want, is := w.rows[id]
			if got, has := there[id]; is != has || got != want {
				t.Errorf("round %d: row %d is (%v) %d, acknowledged was (%v) %d", round, id, has, got, is, want)
			}
		}
	}
}
