package session_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/heat"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestHeatSamplesEqualCounters runs random statements, of which every operation is sampled: the samples
// of each bucket are as many as its counters say, and their keys are keys of it.
func TestHeatSamplesEqualCounters(t *testing.T) {
	for _, n := range []int{0, 4, 16} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			r := newHeatRig(t, mem.New(), n)
			rng := rand.New(rand.NewPCG(seeds.First(t), uint64(n)))
			r.wrote("INSERT INTO t SELECT g % 8, g, g % 5, g FROM generate_series(1, 60) g")
			for range seeds.Amount(40, 400) {
				r.ahead.Add(60) // a minute of its own
				before, since := r.counts(), r.now()
				r.step(rng)
				after := r.counts()
				check := func(name string, id uint32, key *rowcodec.KeySchema) {
					got := make([][4]float64, max(key.Buckets, 1))
					for _, s := range r.db.HeatSamples(id, since) {
						if b, err := key.BucketOf(s.Key); len(s.Key) > 0 && (err != nil || s.Cut || key.Salted() && b != s.Bucket && s.Kind != heat.Scan) {
							t.Fatalf("%s: a key %X of bucket %d: %v", name, s.Key, s.Bucket, err)
						}
						got[s.Bucket][s.Kind] += s.Weight
					}
					for b := range got {
						d := after[name][b].less(before[name][b])
						if want := [4]float64{float64(d.hits + d.misses), float64(d.scans), float64(d.read - d.hits), float64(d.written)}; got[b] != want {
							t.Fatalf("bucket %d of %s: lookups, scans, rows, writes are %v, samples %v", b, name, want, got[b])
						}
					}
				}
				check("t", r.table.ID, &r.table.Codec().Key)
				for i := range r.table.Indexes {
					if x := &r.table.Indexes[i]; x.Kept() {
						check(x.Name, x.ID, &x.Codec().Key)
					}
				}
			}
		})
	}
}

// TestHeatKeysOff keeps no keys of a session, and counts it as others.
func TestHeatKeysOff(t *testing.T) {
	r := newHeatRig(t, mem.New(), 4)
	r.run("SET saltsql.heat_keys = off")
	r.run("INSERT INTO t SELECT g, g, g, g FROM generate_series(1, 50) g")
	r.run("SELECT * FROM t WHERE a = 5 AND b = 5")
	for _, s := range r.db.HeatSamples(r.table.ID, r.now().Add(-heat.KeepSamples)) {
		if len(s.Key) > 0 || !s.Cut {
			t.Errorf("a key is kept: %+v", s)
		}
	}
	if got := r.run("SELECT * FROM saltsql.hot_keys"); len(got) > 0 {
		t.Errorf("keys are kept: %s", got)
	}
	if got := r.run("SELECT sum(rows_written), sum(point_hits) FROM saltsql.bucket_skew WHERE index_name IS NULL"); got[0] != "|50|1" {
		t.Errorf("counted is %s", got)
	}
	r.run("CREATE ROLE plain LOGIN")
	s, err := r.db.NewSession(session.SessionOptions{User: "plain"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if _, err := s.Exec(context.Background(), "SET saltsql.heat_keys = on"); err == nil {
		t.Error("a plain role has keys kept again")
	}
}
