package saltsql

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/storage"
)

// tableSizes remembers about how many rows tables have. What it knows is measured by
// EXPLAIN, which may read a little, and used by all planning after that, which may not.
type tableSizes struct {
	mu sync.Mutex
	by map[uint32]tableSize
}

type tableSize struct {
	rows int64
	at   time.Time
}

const (
	// sizesAge is how long a measurement is not repeated.
	sizesAge = time.Minute
	// smallRows is up to where a table is counted whole.
	smallRows = 1000
	// sampleRows is how many keys of a bucket are counted at most, and sampleRemote where each call
	// goes over a network.
	sampleRows, sampleRemote = 20_000, 1000
	// sampleCells is of how many rows the size is taken.
	sampleCells = 64
)

// TableRows gives what was measured last.
func (z *tableSizes) TableRows(t *catalog.Table) (int64, bool) {
	z.mu.Lock()
	defer z.mu.Unlock()
	s, ok := z.by[t.ID]
	return s.rows, ok
}

// measure looks at the tables of a plan whose size is not known or old. A table that
// cannot be read stays unknown: the statement itself will say why.
func (db *DB) measure(ctx context.Context, p *plan.Plan) {
	for _, t := range p.Tables {
		db.sizes.mu.Lock()
		s, ok := db.sizes.by[t.ID]
		db.sizes.mu.Unlock()
		if ok && time.Since(s.at) < sizesAge {
			continue
		}
		rows, err := db.countAbout(ctx, t)
		if err != nil {
			continue
		}
		db.sizes.mu.Lock()
		if db.sizes.by == nil {
			db.sizes.by = map[uint32]tableSize{}
		}
		db.sizes.by[t.ID] = tableSize{rows, time.Now()}
		db.sizes.mu.Unlock()
	}
}

// countAbout counts a small table, and of another the keys of one salt bucket up to a
// bound: the buckets are alike. Where that is not the end of it, the size that the store
// gives tells more.
func (db *DB) countAbout(ctx context.Context, t *catalog.Table) (int64, error) {
	limit := int64(sampleRows)
	if !db.store.Caps().SmallScanSerial {
		limit = sampleRemote
	}
	table := db.store.Table(t.Physical)
	span := storage.Span{}
	if n, _, err := sample(ctx, table, &storage.ScanRequest{Spans: []storage.Span{span}, KeysOnly: true, Limit: smallRows}); err != nil || n < smallRows {
		return n, err
	}
	buckets := max(int64(t.Options.SaltBuckets), 1)
	if buckets > 1 {
		span.End = []byte{1}
	}
	rows, _, err := sample(ctx, table, &storage.ScanRequest{Spans: []storage.Span{span}, KeysOnly: true, Limit: limit})
	if err != nil || rows < limit {
		return rows * buckets, err
	}
	rows *= buckets
	n, size, err := sample(ctx, table, &storage.ScanRequest{Spans: []storage.Span{span}, Limit: sampleCells})
	if err != nil || n == 0 || size == 0 {
		return rows, err
	}
	tablets, err := table.Tablets(ctx, storage.Span{})
	if err != nil {
		return rows, nil
	}
	total := int64(0)
	for _, piece := range tablets {
		total += max(piece.Bytes, 0)
	}
	return max(rows, total/max(size/n, 1)), nil
}

// sample counts the rows and bytes of a scan.
func sample(ctx context.Context, t storage.Table, req *storage.ScanRequest) (rows, size int64, err error) {
	sc, err := t.Scan(ctx, req)
	if err != nil {
		return 0, 0, err
	}
	defer sc.Close()
	var rb storage.RowBatch
	for {
		switch err := sc.Next(&rb); err {
		case nil:
			rows += int64(rb.Len())
		case io.EOF:
			return rows, sc.Stats().Bytes, nil
		default:
			return 0, 0, err
		}
	}
}
