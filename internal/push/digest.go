package push

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash"
	"slices"
	"strings"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// settle is how far before the end of its TTL a cell is left out of digests: either store may
// remove it from then on.
const settle = 10 * time.Minute

// compare holds a piece against its source, and copies it anew where they differ.
func (p *pusher) compare(ctx context.Context, t *storage.TableSpec, s storage.Span) error {
	for try := 0; ; try++ {
		oldest := oldestCompared(t, time.Now())
		want, rows, err := digest(ctx, p.from.Table(t.Name), s, p.snap, oldest)
		if err != nil {
			return err
		}
		got, _, err := digest(ctx, p.to.Table(t.Name), s, nil, oldest)
		if err != nil {
			return err
		}
		if got == want {
			p.compared.Add(rows)
			return nil
		}
		if try == 1 {
			return fmt.Errorf("table %s differs between the two stores from key %x on, after it was copied again: does somebody write to one of them?", t.Name, s.Start)
		}
		p.mended.Add(1)
		if err := p.to.Table(t.Name).DeleteSpan(ctx, s); err != nil {
			return err
		}
		if err := p.scan(ctx, t.Name, s, func(b *storage.RowBatch) error { return p.write(ctx, t.Name, b) }); err != nil {
			return err
		}
	}
}

// oldestCompared gives MinTS for the digests of a table, in µs; 0 where nothing expires.
func oldestCompared(t *storage.TableSpec, now time.Time) (oldest int64) {
	for _, f := range t.Families {
		if f.TTL > 0 {
			oldest = max(oldest, now.Add(settle-f.TTL).UnixMicro())
		}
	}
	return oldest
}

type sum [sha256.Size]byte

// digest hashes keys, names, timestamps and values of a span's rows, each with its length.
// Cells are put in order: a store may give them in any.
func digest(ctx context.Context, t storage.Table, s storage.Span, snap storage.Snapshot, oldest int64) (out sum, rows int64, err error) {
	h := sha256.New()
	var cells []storage.Cell
	err = storage.EachBatch(ctx, t, &storage.ScanRequest{Spans: []storage.Span{s}, Snapshot: snap, MinTS: oldest}, func(b *storage.RowBatch) error {
		for i := range b.Len() {
			rows++
			cells = cells[:0]
			for j := range b.NumCells(i) {
				cells = append(cells, b.Cell(i, j))
			}
			slices.SortFunc(cells, func(a, b storage.Cell) int {
				if c := strings.Compare(a.Family, b.Family); c != 0 {
					return c
				}
				return bytes.Compare(a.Qualifier, b.Qualifier)
			})
			add(h, b.Key(i))
			addNumber(h, uint64(len(cells)))
			for _, c := range cells {
				add(h, []byte(c.Family))
				add(h, c.Qualifier)
				addNumber(h, uint64(c.Timestamp))
				add(h, c.Value)
			}
		}
		return nil
	})
	h.Sum(out[:0])
	return out, rows, err
}

func add(h hash.Hash, b []byte) {
	addNumber(h, uint64(len(b)))
	h.Write(b)
}

func addNumber(h hash.Hash, n uint64) {
	var b [8]byte
	binary.BigEndian.PutUint64(b[:], n)
	h.Write(b[:])
}
