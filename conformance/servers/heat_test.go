package servers

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// TestHeatOfPeers: each of three servers of a store says what all of them have written and read, as
// sums by buckets and by minutes of each server.
func TestHeatOfPeers(t *testing.T) {
	t.Parallel()
	ctx, store := context.Background(), emulator.Start(t)
	var conns [3]*pgx.Conn
	for i := range conns {
		_, addr := openPeer(t, store, "127.0.0.1:0")
		conns[i] = connectAs(t, addr, "saltsql")
	}
	if _, err := conns[0].Exec(ctx, "CREATE TABLE heated (k INT PRIMARY KEY) SALT_BUCKETS = 4"); err != nil {
		t.Fatal(err)
	}
	for i, c := range conns {
		soon(t, "the table", func() bool {
			_, err := c.Exec(ctx, "SELECT 1 FROM pg_class WHERE oid = 'heated'::regclass")
			return err == nil
		})
		if _, err := c.Exec(ctx, fmt.Sprintf("INSERT INTO heated SELECT g FROM generate_series(%d, %d) g", i*100, i*100+10*i+9)); err != nil {
			t.Fatal(err)
		}
		if _, err := c.Exec(ctx, "SELECT * FROM heated WHERE k = 5"); err != nil {
			t.Fatal(err)
		}
	}
	for i, c := range conns {
		var writes, hits, differ int
		var byServer []int
		err := c.QueryRow(ctx, `SELECT sum(rows_written), sum(point_hits) FROM saltsql.bucket_skew WHERE table_name = 'heated'`).Scan(&writes, &hits)
		if err != nil || writes != 60 || hits != 3 {
			t.Errorf("server %d tells of %d writes and %d hits: %v", i, writes, hits, err)
		}
		err = c.QueryRow(ctx, `SELECT array_agg(n ORDER BY n) FROM (SELECT sum(writes)::int n FROM saltsql.heatmap WHERE table_name = 'heated' AND at IS NOT NULL GROUP BY server) x`).Scan(&byServer)
		if err != nil || fmt.Sprint(byServer) != "[10 20 30]" {
			t.Errorf("server %d tells of %v by server: %v", i, byServer, err)
		}
		err = c.QueryRow(ctx, `SELECT count(*) FROM (SELECT bucket, sum(reads) r, sum(writes) w, sum(bytes_read) b FROM saltsql.heatmap WHERE table_name = 'heated' GROUP BY bucket) x
			FULL JOIN saltsql.bucket_skew s ON s.bucket = x.bucket AND s.reads = x.r AND s.writes = x.w AND s.bytes_read = x.b
			WHERE (s.table_name = 'heated' OR s.table_name IS NULL) AND (s.bucket IS NULL OR x.bucket IS NULL)`).Scan(&differ)
		if err != nil || differ != 0 {
			t.Errorf("server %d: %d buckets have other sums by minutes: %v", i, differ, err)
		}
		// Keys that servers have sampled: all of them are, at so low a rate.
		var looks, shown, samples, ranges int
		err = c.QueryRow(ctx, `SELECT sum(count) FILTER (WHERE kind = 'point' AND key = '{5}' AND bucket IS NOT NULL), count(*) FILTER (WHERE kind = 'write')
			FROM saltsql.hot_keys WHERE table_name = 'heated'`).Scan(&looks, &shown)
		if err != nil || looks != 3 || shown != 60 {
			t.Errorf("server %d: key 5 was looked up %d times, %d keys were written: %v", i, looks, shown, err)
		}
		err = c.QueryRow(ctx, `SELECT sum(samples), count(DISTINCT quantile) FROM saltsql.heatmap WHERE table_name = 'heated' AND quantile IS NOT NULL AND writes > 0`).Scan(&samples, &ranges)
		if err != nil || samples < 60 || ranges != 60 {
			t.Errorf("server %d: %d samples of writes in %d ranges of keys: %v", i, samples, ranges, err)
		}
	}
}
