package session

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestHotRowWaits writes rows in all ways faster than there are milliseconds: none runs further
// ahead of the clock than it may.
func TestHotRowWaits(t *testing.T) {
	ctx := context.Background()
	store := mem.New()
	defer store.Close()
	db, err := Open(ctx, store, &Options{NoEstimates: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	clock := db.txns.Clock()
	clock.MaxAhead = 20 * time.Millisecond
	s, err := db.NewSession(SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	exec := func(q string) {
		t.Helper()
		rows, err := s.Query(ctx, q)
		if err != nil {
			t.Fatal(q, err)
		}
		for rows.Next() {
		}
		if err := rows.Err(); err != nil {
			t.Fatal(q, err)
		}
		rows.Close()
		if err := s.EndPipeline(ctx, true); err != nil {
			t.Fatal(q, err)
		}
	}
	exec("CREATE TABLE t (k INT PRIMARY KEY, v INT NOT NULL DEFAULT 1, w INT)")
	physical := db.catalog.Snapshot().Table("public", "t").Physical
	for _, q := range []string{
		"UPSERT INTO t VALUES (1, 1, 1)",
		"UPSERT INTO t (k, w) VALUES (1, 1)",
		"UPDATE t SET v = v + 1",
		"INSERT INTO t VALUES (1) ON CONFLICT (k) DO UPDATE SET v = t.v + 1",
		"UPSERT INTO t VALUES (1, 1, 1) ON DUPLICATE KEY UPDATE w = w + 1",
		"UPDATE t SET v = v + 1 WHERE k = 1",
	} {
		was := db.TimestampWaits()
		for range 200 {
			exec(q)
			sc, err := store.Table(physical).Scan(ctx, &storage.ScanRequest{Spans: []storage.Span{{}}})
			if err != nil {
				t.Fatal(err)
			}
			var rb storage.RowBatch
			for err = sc.Next(&rb); err == nil; err = sc.Next(&rb) {
				for i := range rb.NumCells(0) {
					// By whole milliseconds.
					if ahead := time.Until(time.UnixMicro(rb.Cell(0, i).Timestamp)); ahead > clock.MaxAhead+2*time.Millisecond {
						t.Fatalf("%s: %v ahead", q, ahead)
					}
				}
			}
			sc.Close()
			if err != io.EOF {
				t.Fatal(err)
			}
		}
		t.Logf("%s: %d of 200 waited", q, db.TimestampWaits()-was)
	}
	if db.TimestampWaits() == 0 {
		t.Error("nobody had to wait")
	}
}
