package stats_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/saltsql/saltsql/internal/goapi"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/pebble"
)

// BenchmarkSeekRows reads DISTINCT of a key prefix by seeks and by reading on, for
// values of so many rows: where both take the same time, that is what a seek costs.
func BenchmarkSeekRows(b *testing.B) {
	ctx := context.Background()
	for _, salt := range []int{0, 16} {
		for _, perValue := range []int{8, 16, 32, 64, 128} {
			store, err := pebble.Open(b.TempDir(), &pebble.Options{NoSync: true})
			if err != nil {
				b.Fatal(err)
			}
			db, err := session.Open(ctx, store, &session.Options{NoEstimates: true})
			if err != nil {
				b.Fatal(err)
			}
			s, err := db.NewSession(session.SessionOptions{})
			if err != nil {
				b.Fatal(err)
			}
			run := func(sql string) {
				if _, err := goapi.Exec(ctx, s, sql); err != nil {
					b.Fatal(err)
				}
			}
			options := ""
			if salt > 0 {
				options = fmt.Sprintf("SALT_BUCKETS = %d", salt)
			}
			run("CREATE TABLE t (a INT, b INT, v TEXT, PRIMARY KEY (a, b)) " + options)
			run(fmt.Sprintf("INSERT INTO t SELECT g / %d, g, 'some value of a row' FROM generate_series(1, 200000) AS x(g)", perValue*max(salt, 1)))
			for _, hint := range []string{"SKIP_SCAN", "RANGE_SCAN"} {
				b.Run(fmt.Sprintf("salt=%d/rows=%d/%s", salt, perValue, hint), func(b *testing.B) {
					for b.Loop() {
						run("SELECT /*+ " + hint + "(t) */ DISTINCT a FROM t")
					}
				})
			}
			s.Close()
			db.Close()
			store.Close()
		}
	}
}
