package session

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func heapHeld() int64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// TestPlanCacheBytes: long texts that differ fill the caches by their bytes, not by their number.
func TestPlanCacheBytes(t *testing.T) {
	db := openDB(t, nil)
	c := newClient(t, db, SessionOptions{})
	c.must("CREATE TABLE t (k BIGINT PRIMARY KEY, v INT)")
	before := heapHeld()
	for i := range 100 {
		var b strings.Builder
		fmt.Fprintf(&b, "SELECT v FROM t WHERE k IN (%d", i)
		for j := range 2100 {
			fmt.Fprintf(&b, ",%d", 10000+j)
		}
		st, err := c.s.Prepare(context.Background(), b.String()+")", nil)
		if err != nil || st.Empty() {
			t.Fatal(err)
		}
	}
	held := int(heapHeld() - before)
	st := db.PlanStats()
	t.Logf("%d kB held, %d kB by estimate, %d texts, %d plans", held>>10, st.Bytes>>10, st.Texts, st.Plans)
	if st.Plans == 0 || st.Plans == 100 || held > 2*st.Bytes || st.Bytes > 48<<20 {
		t.Errorf("%d bytes are held, %d by estimate, %d plans", held, st.Bytes, st.Plans)
	}
}

// TestIdleBytes: what operators are taken to hold between their runs is about what they hold, be
// they many, and joins of few rows hold little.
func TestIdleBytes(t *testing.T) {
	c := newClient(t, openDB(t, nil), SessionOptions{})
	c.must("CREATE TABLE t (k BIGINT PRIMARY KEY, a TEXT, b TEXT, c NUMERIC, d INT)")
	c.must("INSERT INTO t SELECT g, 'a' || g, 'b' || g, g, g FROM generate_series(1, 3000) g")
	c.must("ANALYZE t")
	for _, q := range []struct {
		sql  string
		most int64 // kB of one
	}{
		{"SELECT * FROM t WHERE d > %d", 2000},
		{"SELECT * FROM t x JOIN t y ON x.d = y.d + %d WHERE x.k < 100", 2000},
		{"SELECT x.*, y.*, z.*, (SELECT max(k) FROM t w WHERE w.k < x.k) FROM t x JOIN t y ON x.d = y.d + %d JOIN t z ON y.d = z.d LEFT JOIN t u ON u.k = z.k WHERE x.k < 80 AND y.k < 80 AND z.k < 80 ORDER BY x.a, y.b", 800},
	} {
		const statements = 30
		var names []string
		for i := range statements {
			if got := c.parse(fmt.Sprint("s", i), fmt.Sprintf(q.sql, i)); got != "" {
				t.Fatal(got)
			}
			names = append(names, fmt.Sprint("s", i))
		}
		before, was := heapHeld(), idleHeld(c)
		for _, name := range names {
			if got := c.run(name); !strings.HasPrefix(got, "SELECT ") {
				t.Fatal(got)
			}
		}
		held, booked := (heapHeld()-before)/statements>>10, (idleHeld(c)-was)/statements>>10
		t.Logf("%d kB held, %d kB by estimate: %s", held, booked, q.sql)
		if held > 2*booked || held > q.most {
			t.Errorf("%d kB are held, %d kB by estimate: %s", held, booked, q.sql)
		}
		for _, name := range names {
			c.s.dropStmt(name)
		}
	}
}

func idleHeld(c *client) int64 {
	n, _ := c.s.db.idle.Held()
	return n
}

// TestIdleOperators: of many prepared scans only the last keeps its buffers.
func TestIdleOperators(t *testing.T) {
	c := newClient(t, openDB(t, nil), SessionOptions{})
	c.must("CREATE TABLE t (k BIGINT PRIMARY KEY, v INT)")
	c.must("INSERT INTO t SELECT g, g FROM generate_series(1, 200) g")
	c.must("ANALYZE t") // so that no measuring has the scan planned anew meanwhile
	const each = 10
	for i := range each {
		for _, p := range [][2]string{{"scan", "SELECT * FROM t WHERE v > $1"}, {"point", "SELECT * FROM t WHERE k = $1"}} {
			name := fmt.Sprint(p[0], i)
			if got := c.parse(name, p[1]); got != "" {
				t.Fatal(got)
			}
			for range 2 {
				if got := c.run(name, "0"); !strings.HasPrefix(got, "SELECT ") {
					t.Fatal(got)
				}
			}
		}
	}
	kept := map[string]int{}
	for name, st := range c.s.stmts {
		if st.ready != nil {
			kept[name[:4]]++
		}
	}
	if _, shared := c.s.db.idle.Held(); kept["scan"] != 0 || kept["poin"] != each || shared != 2 { // of the INSERT and of the scan
		t.Errorf("operators are kept of %v, and %d for all sessions", kept, shared)
	}
}

// TestOperatorsOfTexts: a text that is prepared anew for each run has the operators of its last one,
// from the second on; a text that comes once leaves none.
func TestOperatorsOfTexts(t *testing.T) {
	c := newClient(t, openDB(t, nil), SessionOptions{})
	c.must("CREATE TABLE t (k BIGINT PRIMARY KEY, v INT)")
	c.must("INSERT INTO t VALUES (1, 1)")
	c.must("ANALYZE t")
	held := func() int {
		_, n := c.s.db.idle.Held()
		return n
	}
	before := held()
	for i := range 5 {
		if got := c.parse("", "SELECT v FROM t WHERE k = $1"); got != "" {
			t.Fatal(got)
		}
		if got := c.run("", "1"); !strings.HasPrefix(got, "SELECT 1") {
			t.Fatal(got)
		}
		if got, want := held()-before, min(i, 1); got != want {
			t.Errorf("after %d runs %d operators wait, not %d", i+1, got, want)
		}
		c.must(fmt.Sprintf("SELECT '%d' FROM t WHERE k = 1", i))
		if got, want := held()-before, min(i, 1); got != want {
			t.Errorf("a text that came once left operators: %d, not %d", got, want)
		}
	}
}
