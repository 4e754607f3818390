package overlay_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/overlay"
	"github.com/saltsql/saltsql/storage/storagetest"
)

// closing closes with a store what it is laid of, which it leaves to others.
type closing struct {
	storage.Store
	lower, upper storage.Store
}

func (c closing) Close() error { return errors.Join(c.Store.Close(), c.upper.Close(), c.lower.Close()) }

// TestStore holds the contract for the tables below, with an upper store laid over them.
func TestStore(t *testing.T) {
	storagetest.Run(t, func(t testing.TB) storage.Store {
		lower, upper := mem.New(), mem.New()
		s := closing{overlay.New(lower, upper, func(string) bool { return false }, func(int64) error { return nil }), lower, upper}
		t.Cleanup(func() { s.Close() })
		return s
	})
}

// TestBatch commits to both stores: where there is no room above nothing is written, and
// where the store below fails nothing is above.
func TestBatch(t *testing.T) {
	ctx := t.Context()
	lower, upper := mem.New(), mem.New()
	full := errors.New("no room")
	var room error
	s := overlay.New(lower, upper, func(table string) bool { return strings.HasPrefix(table, "temp") }, func(int64) error { return room })
	for name, in := range map[string]storage.Store{"lasting": lower, "temp": upper} {
		if err := in.Admin().CreateTable(ctx, storage.TableSpec{Name: name, Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
			t.Fatal(err)
		}
	}
	rows := func() (n [2]int) {
		for i, from := range []storage.Table{lower.Table("lasting"), upper.Table("temp")} {
			err := storage.EachBatch(ctx, from, &storage.ScanRequest{Spans: []storage.Span{{}}}, func(b *storage.RowBatch) error {
				n[i] += b.Len()
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return n
	}
	commit := func(key string) error {
		b, err := s.Batch()
		if err != nil {
			t.Fatal(err)
		}
		defer b.Close()
		row := storage.RowMutation{Key: []byte(key), Mutations: []storage.Mutation{{Op: storage.SetCell, Family: "f", Timestamp: 1000, Value: []byte("v")}}}
		for _, name := range []string{"temp", "lasting"} {
			if err := b.Mutate(name, []storage.RowMutation{row}); err != nil {
				return err
			}
		}
		return b.Commit(ctx, storage.WriteOptions{})
	}
	if err := commit("a"); err != nil || rows() != [2]int{1, 1} {
		t.Fatal(err, rows())
	}
	if room = full; !errors.Is(commit("b"), full) || rows() != [2]int{1, 1} {
		t.Errorf("a batch without room above left %v", rows())
	}
	room = nil
	if err := lower.Admin().DropTable(ctx, "lasting"); err != nil {
		t.Fatal(err)
	}
	if err := commit("c"); err == nil {
		t.Error("a batch into a table that is gone was committed")
	}
	var b storage.RowBatch
	if _, err := upper.Table("temp").MultiGet(ctx, [][]byte{[]byte("c")}, nil, &b); err != nil || b.Len() != 0 {
		t.Errorf("what failed below is above: %d rows, %v", b.Len(), err)
	}
}
