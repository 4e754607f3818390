package saltsql

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/storage"
)

// Description is the comment on an object: see expr.SessionFuncs.
func (f sessionFuncs) Description(class string, id uint32, column int) string {
	snap := f.s.db.catalog.Snapshot()
	if class == "" || class == "pg_namespace" {
		for _, sc := range snap.Schemas() {
			if sc.ID == id {
				return sc.Comment
			}
		}
	}
	if class != "" && class != "pg_class" {
		return ""
	}
	switch r := snap.ByID(id).(type) {
	case *catalog.Table:
		if column == 0 {
			return r.Comment
		}
		if c := r.ColumnByID(column); c != nil {
			return c.Comment
		}
	case *catalog.View:
		if column == 0 {
			return r.Comment
		}
	case *catalog.Sequence:
		if column == 0 {
			return r.Comment
		}
	}
	return ""
}

// TableSize sums what the store says of the table's tablets.
func (f sessionFuncs) TableSize(ctx context.Context, id uint32) (bytes int64, ok bool, err error) {
	r := f.s.db.catalog.Snapshot().ByID(id)
	t, isTable := r.(*catalog.Table)
	if !isTable {
		return 0, r != nil, nil
	}
	tablets, err := f.s.db.store.Table(t.Physical).Tablets(ctx, storage.Span{})
	if err != nil {
		return 0, false, f.s.db.storageError(ctx, err)
	}
	for _, tab := range tablets {
		bytes += max(tab.Bytes, 0)
	}
	return bytes, true, nil
}
