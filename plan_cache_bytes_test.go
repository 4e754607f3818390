package saltsql

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestPlanCacheBytes: long texts that differ fill the caches by their bytes, not by their number.
func TestPlanCacheBytes(t *testing.T) {
	db := testDB(t)
	c := newClient(t, db, SessionOptions{})
	c.must("CREATE TABLE t (k BIGINT PRIMARY KEY, v INT)")
	heap := func() int {
		runtime.GC()
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
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
	held := heap() - before
	t.Logf("%d kB held, %d + %d kB by estimate, %d texts, %d plans", held>>10, db.plans.texts.bytes>>10, db.plans.plans.bytes>>10, db.plans.texts.lru.Len(), db.plans.plans.lru.Len())
	if estimate := db.plans.texts.bytes + db.plans.plans.bytes; held > 2*estimate || estimate > 2*maxCacheBytes {
		t.Errorf("%d bytes are held, %d by estimate", held, estimate)
	}
}

func TestWeighted(t *testing.T) {
	c := newWeighted[int, string](3, 100)
	c.Add(1, "a", 40)
	c.Add(2, "b", 40)
	c.Add(1, "c", 50) // in the place of a
	if v, ok := c.Get(1); !ok || v != "c" || c.bytes != 90 {
		t.Error(v, ok, c.bytes)
	}
	c.Add(3, "d", 20)
	if _, ok := c.Get(2); ok || c.bytes != 70 {
		t.Error("the oldest is kept", c.bytes)
	}
	c.Add(4, "e", 200)
	if c.bytes != 0 || c.lru.Len() != 0 {
		t.Error("more than all is kept", c.bytes)
	}
	for i := range 5 {
		c.Add(i, "", 1)
	}
	if c.bytes != 3 || c.lru.Len() != 3 {
		t.Error(c.bytes, c.lru.Len())
	}
}

// TestIdleOperators: of many prepared scans only the last keeps its buffers.
func TestIdleOperators(t *testing.T) {
	c := newClient(t, testDB(t), SessionOptions{})
	c.must("CREATE TABLE t (k BIGINT PRIMARY KEY, v INT)")
	c.must("INSERT INTO t SELECT g, g FROM generate_series(1, 200) g")
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
	if kept["scan"] != 1 || kept["poin"] != each {
		t.Errorf("operators are kept of %v", kept)
	}
}
