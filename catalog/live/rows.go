package live

import (
	"context"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
	"github.com/saltsql/saltsql/storage"
)

// testRows holds an ALTER TABLE against the rows that are there.
func (c *Catalog) testRows(ctx context.Context, a *alteration, hooks AlterHooks) error {
	if a.needEmpty != nil {
		has, err := c.HasRows(ctx, a.old)
		if err != nil {
			return err
		}
		if has {
			return a.needEmpty
		}
	}
	for _, id := range a.noNulls {
		if err := c.refuseNulls(ctx, a.old, id); err != nil {
			return err
		}
	}
	for _, k := range a.checks {
		if hooks.ValidateCheck != nil {
			if err := hooks.ValidateCheck(ctx, a.t, k); err != nil {
				return err
			}
			continue
		}
		has, err := c.HasRows(ctx, a.old)
		if err != nil {
			return err
		}
		if has {
			return sqlerr.New(sqlerr.FeatureNotSupported, "a CHECK constraint cannot be added to table \"%s\", which has rows", a.t.Name).
				WithHint("Create the table with the constraint and fill it with INSERT INTO ... SELECT.")
		}
	}
	if a.makeWhole {
		return c.makeWhole(ctx, a.old)
	}
	return nil
}

// HasRows says whether a table has a row.
func (c *Catalog) HasRows(ctx context.Context, t *catalog.Table) (bool, error) {
	marker, _ := t.Codec().Marker()
	req := &storage.ScanRequest{
		Spans: t.Codec().Key.TableSpans(), EveryRow: t.Codec().Unmarked, Project: []storage.Col{marker}, KeysOnly: true, Limit: 1,
		MinTS: t.OldestVisible(c.Options.Now().UnixMicro()),
	}
	found := false
	err := c.EachBatch(ctx, t, req, func(*storage.RowBatch) error {
		found = true
		return nil
	})
	return found, err
}

// refuseNulls reads a column of all rows: 23502 where one holds NULL.
func (c *Catalog) refuseNulls(ctx context.Context, t *catalog.Table, columnID int) error {
	col := t.ColumnByID(columnID)
	if col.KeyPos >= 0 {
		return nil
	}
	i := slices.IndexFunc(t.Codec().Cells, func(k rowcodec.CellColumn) bool { return k.Name == col.Name })
	dec := rowcodec.NewRowDecoder(t.Codec(), nil, []int{i})
	project, keysOnly := dec.Project()
	req := &storage.ScanRequest{
		Spans: t.Codec().Key.TableSpans(), EveryRow: t.Codec().Unmarked, Project: project, KeysOnly: keysOnly, MinTS: t.OldestVisible(c.Options.Now().UnixMicro()),
	}
	out := []*vec.Vec{vec.New(col.Type)}
	return c.EachBatch(ctx, t, req, func(b *storage.RowBatch) error {
		if err := dec.DecodeBatch(b, 0, b.Len(), out); err != nil {
			return err
		}
		for i := range b.Len() {
			if out[0].Null(i) {
				return nullsInColumn(t, col.Name)
			}
		}
		return nil
	})
}

// EachBatch shows the rows of a scan. A scan that the store breaks off starts
// again from the beginning.
func (c *Catalog) EachBatch(ctx context.Context, t *catalog.Table, req *storage.ScanRequest, visit func(*storage.RowBatch) error) error {
	store := c.Store
	if c.Drafts() {
		var err error
		if store, err = c.rows.Rows(ctx); err != nil {
			return err
		}
	}
	err := versions.RetryRead(ctx, func() error { return storage.EachBatch(ctx, store.Table(t.Physical), req, visit) })
	return catalog.FromStorage(err, "reading table "+t.Name)
}
