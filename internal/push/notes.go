package push

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// notesTable, in the target, holds what is done. Its rows:
//
//	"source"                           n:v   Options.Source
//	table 00 SHA-256 of piece's start  n:v   uvarint length of start, start, end (empty: none)
//
// The hash, since a row key may be as long as a key here may be.
const notesTable = "saltsql_push"

var (
	noteCol   = storage.Col{Family: "n", Qualifier: []byte("v")}
	sourceKey = []byte("source")
)

type notes struct {
	store storage.Store
	table storage.Table
}

// openNotes makes the table, or goes on with one of the same source. where whole, the target
// has all, and there must be notes.
func openNotes(ctx context.Context, to storage.Store, source string, whole bool) (*notes, error) {
	n := &notes{to, to.Table(notesTable)}
	var b storage.RowBatch
	_, err := n.table.MultiGet(ctx, [][]byte{sourceKey}, nil, &b)
	switch {
	case err != nil && storage.CodeOf(err) != storage.CodeNotFound:
		return nil, err
	case b.Len() > 0:
		if v, _ := b.Value(0, noteCol.Family, noteCol.Qualifier); string(v) != source {
			return nil, fmt.Errorf("a push of another source, %q, is under way in the target; drop its table %s to give it up", v, notesTable)
		}
		return n, nil
	case whole:
		return nil, ErrThere
	}
	err = to.Admin().CreateTable(ctx, storage.TableSpec{Name: notesTable, Families: []storage.FamilySpec{{Name: noteCol.Family}}})
	if err != nil && storage.CodeOf(err) != storage.CodeAlreadyExists {
		return nil, err
	}
	return n, n.set(ctx, sourceKey, []byte(source))
}

func (n *notes) set(ctx context.Context, key, value []byte) error {
	return put(ctx, n.table, []storage.RowMutation{{Key: key, Mutations: []storage.Mutation{{
		Op: storage.SetCell, Family: noteCol.Family, Qualifier: noteCol.Qualifier, Timestamp: time.Now().UnixMilli() * 1000, Value: value,
	}}}})
}

// done notes that the rows of a span are written.
func (n *notes) done(ctx context.Context, table string, s storage.Span) error {
	at := sha256.Sum256(s.Start)
	v := binary.AppendUvarint(nil, uint64(len(s.Start)))
	return n.set(ctx, append(append([]byte(table), 0), at[:]...), append(append(v, s.Start...), s.End...))
}

// pieces lists those of a table that are done, in order.
func (n *notes) pieces(ctx context.Context, table string) (out []storage.Span, err error) {
	req := &storage.ScanRequest{Spans: []storage.Span{{Start: append([]byte(table), 0), End: append([]byte(table), 1)}}}
	err = storage.EachBatch(ctx, n.table, req, func(b *storage.RowBatch) error {
		for i := range b.Len() {
			v, _ := b.Value(i, noteCol.Family, noteCol.Qualifier)
			n, size := binary.Uvarint(v)
			if size <= 0 || n > uint64(len(v)-size) {
				return fmt.Errorf("a row of the target's table %s is malformed; drop the table to begin anew", notesTable)
			}
			v = bytes.Clone(v[size:])
			out = append(out, storage.Span{Start: v[:n:n], End: v[n:]})
		}
		return nil
	})
	slices.SortFunc(out, func(a, b storage.Span) int { return bytes.Compare(a.Start, b.Start) })
	return out, err
}

func (n *notes) drop(ctx context.Context) error { return n.store.Admin().DropTable(ctx, notesTable) }
