package versions

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// noting notes the cells of conditional writes, and does something before the first of them.
type noting struct {
	storage.Store
	cells  map[string]bool
	before func()
}

type notingTable struct {
	storage.Table
	s *noting
}

func (s *noting) Table(name string) storage.Table { return notingTable{s.Store.Table(name), s} }

func (t notingTable) CheckAndMutate(ctx context.Context, m *storage.CondMutation) (bool, error) {
	for _, mut := range m.Then {
		if mut.Op == storage.SetCell {
			t.s.cells[fmt.Sprintf("%s %s at %d: %s", m.Key, mut.Qualifier, mut.Timestamp, mut.Value)] = true
		}
	}
	if do := t.s.before; do != nil {
		t.s.before = nil
		do()
	}
	return t.Table.CheckAndMutate(ctx, m)
}

// TestOwnWrites: two servers that do the same in the same millisecond write different cells, so
// that one whose request was lost does not find what the other wrote and take it for its own.
func TestOwnWrites(t *testing.T) {
	ctx := context.Background()
	one, q := time.Now(), catalog.Sequence{ID: 8}
	for name, do := range map[string]func(c *Keeper) error{
		"a sequence's first value": func(c *Keeper) error {
			_, err := c.SwapSeq(ctx, 7, SeqValue{}, false, SeqValue{Last: 3, Called: true})
			return err
		},
		"a sequence's next value": func(c *Keeper) error {
			cur, ok, err := c.ReadSeqCell(ctx, &q)
			if err == nil {
				_, err = c.SwapSeq(ctx, q.ID, cur, ok, SeqValue{Last: cur.Last + 3, Called: true})
			}
			return err
		},
		"a job": func(c *Keeper) error {
			_, err := c.TryJob(ctx, 7)
			return err
		},
		"the DDL lease": func(c *Keeper) error {
			return c.TryLease(ctx, func(context.Context, *Held) error { return nil })
		},
		"the secret": func(c *Keeper) error {
			_, err := c.Secret(ctx)
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			store := forMany{mem.New()}
			var both [2]*Keeper
			var notes [2]*noting
			for i := range both {
				notes[i] = &noting{Store: store, cells: map[string]bool{}}
				c, err := openTestKeeper(notes[i], Options{Lease: time.Minute, Poll: time.Hour, Now: func() time.Time { return one }})
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = c.Close() })
				both[i] = c
			}
			if _, err := both[0].SwapSeq(ctx, q.ID, SeqValue{}, false, SeqValue{Last: 3, Called: true}); err != nil {
				t.Fatal(err)
			}
			for _, n := range notes {
				clear(n.cells)
			}
			notes[0].before = func() {
				if err := do(both[1]); err != nil {
					t.Error(err)
				}
			}
			if err := do(both[0]); err != nil {
				t.Fatal(err)
			}
			if len(notes[0].cells) == 0 || len(notes[1].cells) == 0 {
				t.Fatalf("%d and %d cells", len(notes[0].cells), len(notes[1].cells))
			}
			for cell := range notes[0].cells {
				if notes[1].cells[cell] {
					t.Errorf("both wrote %s", cell)
				}
			}
		})
	}
}
