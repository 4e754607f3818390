package live

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage"
)

// A row lives for its table's TTL after the last write of it, and goes whole.
// Stores remove cells one by one, each by its own age and at any later time, so
// every write of a row in a table with a TTL gives all of its cells one timestamp:
//
//	TTL = 100      INSERT (a, b) at 0    UPDATE b at 60     SELECT at 120
//	  a            0                     60 written anew    there
//	  b            0                     60                 there
//	  marker       0                     60                 there
//
// Rows of before the table had a TTL, or that came from elsewhere, have cells
// of several timestamps. SET (TTL = n) makes them whole before it takes effect.

// setTTL works out what an ALTER TABLE does to rows by a change of the TTL. named
// says that it sets one.
func (a *alteration) setTTL(named bool) {
	if a.t.Options.TTL == 0 {
		a.t.WholeRows = false
		return
	}
	a.makeWhole = named && !a.t.WholeRows
	a.t.WholeRows = a.t.WholeRows || a.makeWhole
}

// expire keeps expired what is expired at the time now (µs), where the TTL becomes
// longer or ends.
func (a *alteration) expire(now int64) {
	old, ttl := a.old.Options.TTL, a.t.Options.TTL
	if old > 0 && (ttl == 0 || ttl > old) {
		a.t.ExpiredBefore = a.old.OldestVisible(now)
	}
}

// makeWhole gives the cells of each row the timestamp of its newest one. No
// reader sees a difference. Nothing else may write the table meanwhile; a row
// that changes all the same is left as it is, and the error is versions.ErrMoved.
func (c *Catalog) makeWhole(ctx context.Context, t *catalog.Table) error {
	marker, _ := t.Codec().Marker()
	table := c.Store.Table(t.Physical)
	req := &storage.ScanRequest{Spans: t.Codec().Key.TableSpans(), MinTS: t.OldestVisible(c.Options.Now().UnixMicro())}
	return c.EachBatch(ctx, t, req, func(b *storage.RowBatch) error {
		var ms []storage.CondMutation
		for i := range b.Len() {
			muts, version := wholeRow(b, i, marker)
			if len(muts) == 0 {
				continue
			}
			m := storage.CondMutation{Key: b.Key(i), Then: muts, Cond: storage.Cond{
				Op: storage.CellTSEquals, Family: marker.Family, Qualifier: marker.Qualifier, Timestamp: version}}
			if version < 0 {
				m.Cond.Op, m.Cond.Timestamp = storage.CellAbsent, 0
			}
			ms = append(ms, m)
		}
		return storage.CheckAndMutateRows(ctx, table, ms, storage.CondParallel, func(_ int, matched bool, err error) error {
			if err == nil && !matched {
				return versions.ErrMoved
			}
			return err
		})
	})
}

// wholeRow gives what makes row i of b whole, nothing where it is, and the
// timestamp of its marker cell, -1 for none.
func wholeRow(b *storage.RowBatch, i int, marker storage.Col) (muts []storage.Mutation, version int64) {
	version = -1
	var newest int64
	for j := range b.NumCells(i) {
		cell := b.Cell(i, j)
		newest = max(newest, cell.Timestamp)
		if cell.Family == marker.Family && string(cell.Qualifier) == string(marker.Qualifier) {
			version = cell.Timestamp
		}
	}
	for j := range b.NumCells(i) {
		if cell := b.Cell(i, j); cell.Timestamp < newest {
			muts = append(muts, storage.Mutation{Op: storage.SetCell, Family: cell.Family, Qualifier: cell.Qualifier, Timestamp: newest, Value: cell.Value})
		}
	}
	return muts, version
}
