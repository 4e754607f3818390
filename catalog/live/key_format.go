package live

import (
	"bytes"
	"context"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
)

// triedRows is of how many rows of each bucket ATTACH TABLE tests that they have the format.
const triedRows = 3

// tryFormat reads a few rows of each bucket and tests that their keys have t's format, so
// that a formula which is not that of the writers is not taken: 22023 with such a key.
func (c *Catalog) tryFormat(ctx context.Context, t *catalog.Table, pos int) error {
	if t.KeyFormat == nil {
		return nil
	}
	check := newRowCheck(t)
	refuse := func(key []byte, text string) error {
		return sqlerr.New(sqlerr.InvalidParameterValue, `storage table "%s" has a row whose key is not of this KEY FORMAT`, t.Physical).
			WithDetail("The key %q: %s.", key, strings.TrimSuffix(text, ".")).
			WithHint("Compare the key with the format: its literals, widths and the formula of the salt.").At(pos)
	}
	found := false
	for b := range max(t.Codec().Key.Buckets, 1) {
		req := &storage.ScanRequest{Spans: []storage.Span{t.Codec().Key.BucketSpan(b)}, KeysOnly: true, Limit: triedRows}
		err := c.EachBatch(ctx, t, req, func(rows *storage.RowBatch) error {
			for i := range rows.Len() {
				found = true
				if text := check.rowKey(rows.Key(i)); text != "" {
					return refuse(bytes.Clone(rows.Key(i)), text)
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	if found {
		return nil
	}
	return c.EachBatch(ctx, t, &storage.ScanRequest{Spans: []storage.Span{{}}, KeysOnly: true, Limit: 1}, func(rows *storage.RowBatch) error {
		return refuse(bytes.Clone(rows.Key(0)), "no row begins as the format says")
	})
}

// refuseForeign refuses to remove the rows of a table that others write.
func refuseForeign(t *catalog.Table, what string, pos int) error {
	if t.KeyFormat == nil {
		return nil
	}
	return sqlerr.Unsupported(what+` of table "`+t.Name+`", whose rows others write, is not supported`,
		"DETACH TABLE forgets it; DELETE removes rows.").At(pos)
}
