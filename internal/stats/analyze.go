package stats

import (
	"bytes"
	"context"
	"math"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/colstats"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// What looking at columns may cost, whatever the size of the table: colstats.SampleRows rows
// and so many scans, each of a stretch of rows from the beginning of a piece. Rows of one
// stretch may be alike, so that many short ones tell more.
const (
	sampledReads       = 1024 // a seek of 15 µs each
	sampledReadsRemote = 256  // calls of ANALYZE, and in the background readsRemote
)

// Store keeps what is known of columns: versions.Keeper.
type Store interface {
	ReadStatistics(ctx context.Context, table uint32) ([]byte, error)
	PutStatistics(ctx context.Context, table uint32, value []byte) error
}

// sampling looks at rows of a table.
type sampling struct {
	measurement
	oldest   int64 // ScanRequest.MinTS
	columns  []int // positions in Table.Columns
	decoder  *rowcodec.RowDecoder
	vectors  []*vec.Vec
	builders []*colstats.Builder
	keys     [][]byte // logical ones, of all rows seen; nil without salt
	aside    bool     // nobody waits for it: fewer calls over a network
}

// sample says what is known of columns, by their IDs, of a table of about so many rows. No
// columns are all.
func (s *sampling) sample(ctx context.Context, rows float64, ids []int) (*colstats.Table, error) {
	s.prepare(ids)
	all, err := s.read(ctx, rows)
	if err != nil {
		return nil, err
	}
	rank := s.rank()
	out := &colstats.Table{Rows: all, Columns: map[int]*colstats.Column{}}
	for i, at := range s.columns {
		if c := s.builders[i].Column(all, rank); c != nil {
			out.Columns[s.table.Columns[at].ID] = c
		}
	}
	return out, nil
}

// prepare makes a decoder and builders, the key's columns first.
func (s *sampling) prepare(ids []int) {
	wanted := func(c *catalog.Column) bool { return !c.Hidden && (len(ids) == 0 || slices.Contains(ids, c.ID)) }
	var key, cells []int
	for pos, at := range s.table.PrimaryKey {
		if wanted(&s.table.Columns[at]) {
			key, s.columns = append(key, pos), append(s.columns, at)
		}
	}
	cell := -1
	for at := range s.table.Columns {
		c := &s.table.Columns[at]
		if c.KeyPos >= 0 {
			continue
		}
		if cell++; wanted(c) {
			cells, s.columns = append(cells, cell), append(s.columns, at)
		}
	}
	s.decoder = rowcodec.NewRowDecoder(s.table.Codec(), key, cells)
	for _, t := range s.decoder.Types() {
		s.vectors = append(s.vectors, vec.New(t))
		s.builders = append(s.builders, colstats.NewBuilder(t, expr.CheckOrderable(t, 0) == nil))
	}
}

// read gives rows to the builders: all, or stretches of a table that has more than
// colstats.SampleRows. It gives the number of rows of the table, about.
func (s *sampling) read(ctx context.Context, rows float64) (float64, error) {
	table := s.store.Table(s.table.Physical)
	if rows <= colstats.SampleRows {
		n, err := s.rowsOf(ctx, table, s.table.Codec().Key.TableSpans(), 2*colstats.SampleRows)
		if n < 2*colstats.SampleRows {
			rows = float64(n)
		}
		return rows, err
	}
	most := sampledReads
	switch {
	case s.remote && s.aside:
		most = readsRemote
	case s.remote:
		most = sampledReadsRemote
	}
	pieces, err := table.Sample(ctx, storage.Span{}, 2*most)
	if err != nil {
		return 0, err
	}
	s.calls.Add(pieces.Calls)
	s.measurement.rows.Add(pieces.Rows)
	n := min(most, len(pieces.Pieces))
	for i := range n {
		span := pieces.Pieces[i*len(pieces.Pieces)/n].Span
		if _, err := s.rowsOf(ctx, table, []storage.Span{span}, int64(colstats.SampleRows/n+1)); err != nil {
			return 0, err
		}
	}
	return rows, nil
}

// rowsOf gives the first rows of spans to the builders.
func (s *sampling) rowsOf(ctx context.Context, table storage.Table, spans []storage.Span, most int64) (n int64, err error) {
	req := &storage.ScanRequest{Spans: spans, EveryRow: s.table.Codec().Unmarked, Limit: most, MinTS: s.oldest}
	req.Project, req.KeysOnly = s.decoder.Project()
	salted := s.table.Buckets() > 0
	err = storage.EachBatch(ctx, table, req, func(b *storage.RowBatch) error {
		if err := s.decoder.DecodeBatch(b, 0, b.Len(), s.vectors); err != nil {
			return err
		}
		for i, v := range s.vectors {
			s.builders[i].Add(v, b.Len())
		}
		for i := 0; salted && i < b.Len(); i++ {
			s.keys = append(s.keys, bytes.Clone(s.table.Codec().Key.LogicalKey(b.Key(i))))
		}
		n += int64(b.Len())
		return nil
	})
	s.calls.Add(1)
	s.measurement.rows.Add(n)
	return n, err
}

// rank gives the place of each row in the order of the key; nil where that is how they came.
func (s *sampling) rank() []int {
	if s.keys == nil {
		return nil
	}
	order := make([]int, len(s.keys))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return bytes.Compare(s.keys[a], s.keys[b]) })
	rank := make([]int, len(order))
	for place, row := range order {
		rank[row] = place
	}
	return rank
}

// Analyze measures a table, looks at columns of it, by their IDs, all where none is named, and
// keeps what it finds, beside what is known of the others, for all servers.
func (z *Estimates) Analyze(ctx context.Context, t *catalog.Table, columns []int) error {
	z.mu.Lock()
	e := z.of(t)
	for e.running != nil {
		running := e.running
		z.mu.Unlock()
		select {
		case <-running:
		case <-ctx.Done():
			return ctx.Err()
		}
		z.mu.Lock()
		e = z.of(t)
	}
	z.begin(e)
	z.mu.Unlock()
	return z.finish(ctx, e, t, func(old *colstats.Table, rows float64) (*colstats.Table, error) {
		if len(columns) == 0 {
			return z.lookAt(ctx, e, t, rows, false)
		}
		found, err := z.sample(ctx, t, rows, columns, false)
		if err != nil || old == nil {
			return found, err
		}
		for id, c := range old.Columns {
			if found.Columns[id] == nil && !slices.Contains(columns, id) {
				found.Columns[id] = c
			}
		}
		return found, nil
	})
}

// sample samples columns of a table, all where none is named.
func (z *Estimates) sample(ctx context.Context, t *catalog.Table, rows float64, columns []int, aside bool) (*colstats.Table, error) {
	s := sampling{measurement: measurement{store: z.store, remote: z.remote, table: t}, oldest: t.OldestVisible(z.now().UnixMicro()), aside: aside}
	found, err := s.sample(ctx, rows, columns)
	z.calls.Add(s.calls.Load())
	z.rows.Add(s.rows.Load())
	return found, err
}

// lookAt samples all columns of a table: what was written before is known then.
func (z *Estimates) lookAt(ctx context.Context, e *tableEstimate, t *catalog.Table, rows float64, aside bool) (*colstats.Table, error) {
	z.mu.Lock()
	seen := e.changed
	z.mu.Unlock()
	found, err := z.sample(ctx, t, rows, nil, aside)
	if err == nil {
		z.mu.Lock()
		e.changed -= seen
		z.mu.Unlock()
	}
	return found, err
}

// When columns are looked at in the background: those of tables that are worth it, where
// nothing is known of them, where this process has written a fifth of the rows since, or where
// the table has grown or shrunk by as much, whoever did it.
const (
	autoRows = 1000
	autoAge  = time.Minute // between two looks at a table
)

// autoAnalyze is the analyze of a measurement that nobody asked for; nil is none. Entries of
// indexes are no tables that the catalog has, and nothing is asked of their columns.
func (z *Estimates) autoAnalyze(ctx context.Context, e *tableEstimate, t *catalog.Table) func(*colstats.Table, float64) (*colstats.Table, error) {
	if !z.auto {
		return nil
	}
	if z.snapshot().TableByID(t.ID) == nil {
		return nil
	}
	return func(old *colstats.Table, rows float64) (*colstats.Table, error) {
		z.mu.Lock()
		due := rows >= autoRows && time.Since(e.tried) >= autoAge
		if due && old != nil {
			bound := max(autoRows, old.Rows/5)
			due = float64(e.changed) >= bound || math.Abs(rows-old.Rows) >= bound
		}
		if due {
			e.tried = time.Now()
		}
		z.mu.Unlock()
		if !due {
			return nil, nil
		}
		return z.lookAt(ctx, e, t, rows, true)
	}
}

// readColumns reads what is kept of a table's columns.
func (z *Estimates) readColumns(ctx context.Context, t *catalog.Table) (kept []byte, cols *colstats.Table, err error) {
	if kept, err = z.kept.ReadStatistics(ctx, t.ID); err != nil || kept == nil {
		return nil, nil, err
	}
	cols, err = colstats.Decode(kept, func(id int) (types.T, bool) {
		c := t.ColumnByID(id)
		if c == nil {
			return types.T{}, false
		}
		return c.Type, true
	})
	return kept, cols, err
}

// Kept reads what is known of a table's columns from where it is kept; nil is nothing.
func (z *Estimates) Kept(ctx context.Context, t *catalog.Table) (*colstats.Table, error) {
	_, cols, err := z.readColumns(ctx, t)
	return cols, err
}

// Column implements estimate.Estimator.
func (z *Estimates) Column(t *catalog.Table, id int) *colstats.Column {
	z.mu.Lock()
	defer z.mu.Unlock()
	e := z.by[t.ID]
	if e == nil || e.physical != t.Physical || e.cols == nil {
		return nil
	}
	c := e.cols.Columns[id]
	if col := t.ColumnByID(id); c == nil || col == nil || col.Type.Base() != c.Type.Base() {
		return nil
	}
	return c
}
