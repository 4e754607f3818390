package write

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/exec/entry"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/txn"
)

// checkShared is CheckIndex on a store that has no snapshots: what looks wrong at first is
// looked at by itself, until it stands still, while others write.
func checkShared(ctx context.Context, txns *txn.Manager, env *expr.Env, t *catalog.Table, ix *catalog.Index, repair bool, enter Enter) (*IndexReport, error) {
	m, err := entry.NewMender(txns, env, t, ix)
	if err != nil {
		return nil, err
	}
	var r IndexReport
	var faults, marked []entry.Target // marked are by writes that have died
	left := ""                        // one of those
	seen := map[string][]byte{}       // by entries at fault, the row that was looked at
	inspect := func(list []entry.Target) error {
		for _, s := range list {
			first, known := seen[string(s.Key)]
			f, err := m.Inspect(ctx, s, first)
			if err != nil {
				return err
			}
			switch {
			case f == entry.NoFault:
				continue
			case f == entry.Duplicated:
				r.duplicated(m.Maker(), s.Key, env)
				continue
			case known:
				continue
			case f == entry.Missing:
				r.Missing++
			case f == entry.Wrong:
				r.Wrong++
			case f == entry.Stale:
				r.Stale++
			}
			list, sample := &faults, &r.Sample
			if f == entry.Abandoned {
				list, sample = &marked, &left
			}
			*sample = cmp.Or(*sample, fmt.Sprintf("%s: entry %X", f, s.Key))
			*list = append(*list, s)
			seen[string(s.Key)] = s.Row
		}
		return nil
	}
	raw := txns.Raw()
	minTS := t.OldestVisible(txns.Clock().Now())
	err = storage.EachBatch(ctx, raw.Table(t.Physical), &storage.ScanRequest{Spans: all, KeysOnly: true, MinTS: minTS}, func(b *storage.RowBatch) error {
		r.Rows += int64(b.Len())
		keys := make([][]byte, b.Len())
		for i := range keys {
			keys[i] = bytes.Clone(b.Key(i))
		}
		list, err := m.Lacking(ctx, keys)
		if err != nil {
			return err
		}
		return inspect(list)
	})
	if err != nil {
		return nil, err
	}
	err = storage.EachBatch(ctx, raw.Table(ix.Physical), &storage.ScanRequest{Spans: all}, func(b *storage.RowBatch) error {
		r.Entries += int64(b.Len())
		list, err := m.Suspects(ctx, b)
		if err != nil {
			return err
		}
		return inspect(list)
	})
	r.Sample = cmp.Or(r.Sample, left)
	if err != nil || !repair {
		return &r, err
	}
	mend := func(list []entry.Target) (mended int64, err error) {
		for part := range slices.Chunk(list, fillRows) {
			var results []entry.Result
			err := entered(ctx, enter, t, func(ctx context.Context) (err error) {
				results, err = m.Mend(ctx, part)
				return err
			})
			if err != nil {
				return mended, err
			}
			for _, res := range results {
				if res == entry.Mended {
					mended++
				}
			}
		}
		return mended, nil
	}
	if r.Repaired, err = mend(faults); err == nil {
		_, err = mend(marked)
	}
	if err != nil {
		return nil, err
	}
	return &r, nil
}
