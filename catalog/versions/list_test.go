package versions

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// rowCells counts the cells of a row of the catalog.
func rowCells(t *testing.T, c *Keeper, key string) int {
	t.Helper()
	var b storage.RowBatch
	if _, err := c.Table.MultiGet(context.Background(), [][]byte{[]byte(key)}, nil, &b); err != nil {
		t.Fatal(err)
	}
	if b.Len() == 0 {
		return 0
	}
	return b.NumCells(0)
}

// TestLists commits changes of many objects in a catalog of the first format, which keeps naming
// all in its root, and after Upgrade, by which the root names the newest only. Another keeper
// reads the same, and no list is left but the one in force.
func TestLists(t *testing.T) {
	ctx := context.Background()
	store := mem.New()
	c, err := openTestKeeper(store, Options{ListAfter: 1000})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	step := 0
	change := func(c *Keeper) {
		t.Helper()
		step++
		_, err := c.Update(ctx, func(s *catalog.Snapshot) (*Edit, error) {
			e := NewEdit(s)
			e.NextID++
			e.Put[s.Root.NextID] = catalog.Object{Desc: &catalog.Schema{ID: s.Root.NextID, Name: fmt.Sprint("s", step)}, State: catalog.StatePublic}
			names = append(names, fmt.Sprint("s", step))
			if step%3 == 0 {
				gone := s.Schema(names[0])
				e.Del[gone.ID] = true
				names = names[1:]
			}
			return &e, nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	lists := func() (n int) {
		t.Helper()
		req := &storage.ScanRequest{Spans: []storage.Span{{Start: []byte(ListPrefix), End: []byte("list0")}}, KeysOnly: true}
		if err := storage.EachBatch(ctx, c.Table, req, func(b *storage.RowBatch) error { n += b.Len(); return nil }); err != nil {
			t.Fatal(err)
		}
		return n
	}
	root := c.Snapshot().Root
	root.Format = 1
	value, err := json.Marshal(&root)
	if err != nil {
		t.Fatal(err)
	}
	set := storage.Mutation{Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(rootCell), Timestamp: root.TS + 1000, Value: value}
	if _, err := c.swapRoot(ctx, root.TS, []storage.Mutation{set}, root.Version, ""); err != nil {
		t.Fatal(err)
	}
	for _, format := range []int{1, rootFormat} {
		if format == rootFormat {
			if got, err := Upgrade(ctx, store); got != rootFormat || err != nil {
				t.Fatalf("format %d: %v", got, err)
			}
		}
		c, err := openTestKeeper(store, Options{ListAfter: 4})
		if err != nil {
			t.Fatal(err)
		}
		for range 40 {
			change(c)
			other, err := openTestKeeper(store, Options{})
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for _, s := range other.Snapshot().Schemas() {
				if s.ID != catalog.PublicSchemaID {
					have = append(have, s.Name)
				}
			}
			if want := slices.Sorted(slices.Values(names)); !slices.Equal(have, want) {
				t.Fatalf("the schemas are %v, not %v", have, want)
			}
			own, read := maps.Collect(c.Snapshot().Objects()), maps.Collect(other.Snapshot().Objects())
			for id, o := range own {
				if read[id].Ptr != o.Ptr || len(read) != len(own) {
					t.Fatalf("object %d is %v, not %v", id, read[id], o)
				}
			}
			if got := slices.Sorted(slices.Values(other.Snapshot().Root.Since)); !slices.Equal(got, slices.Sorted(slices.Values(c.Snapshot().Root.Since))) {
				t.Fatalf("the root names %v, not %v", got, c.Snapshot().Root.Since)
			}
		}
		cells, n := rowCells(t, c, rootKey), lists()
		if format == 1 && (cells < len(names) || n != 0) || format == 2 && (cells > 5 || n != 1) {
			t.Errorf("format %d: the root has %d cells, and there are %d lists", format, cells, n)
		}
	}
}
