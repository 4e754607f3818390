package spliced_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
	"github.com/saltsql/saltsql/storage/spliced"
	"github.com/saltsql/saltsql/storage/storagetest"
)

// cut is a store whose every table is of parts, which a contract for tables must not tell from whole ones. All
// keys have a place, and one byte is the whole of one part's keys.
type cut struct {
	storage.Store
	inner storage.Store
}

func newCut(inner storage.Store) *cut { return &cut{spliced.Wrap(inner), inner} }

// parts are of bytes 00, 01, 02 to 61 and 62 to FF.
func parts(name string) []spliced.Part {
	if len(name) == 0 || len(name) > 48 {
		return []spliced.Part{{Table: name}} // for the store to refuse
	}
	return []spliced.Part{{Table: name + ".a", Buckets: 1}, {Table: name + ".b", Buckets: 0}, {Table: name + ".c", Buckets: 96}, {Table: name + ".d", Buckets: 158}}
}

func (c *cut) name(name string) string                     { return spliced.Name(parts(name)) }
func (c *cut) Table(name string) storage.Table             { return c.Store.Table(c.name(name)) }
func (c *cut) Admin() storage.Admin                        { return cutAdmin{c.Store.Admin(), c} }
func (c *cut) Compact(ctx context.Context, n string) error { return c.Store.Compact(ctx, c.name(n)) }
func (c *cut) Load(ctx context.Context, n string, unique bool) (storage.Load, error) {
	return c.Store.Load(ctx, c.name(n), unique)
}

func (c *cut) Batch() (storage.Batch, error) {
	b, err := c.Store.Batch()
	return cutBatch{b, c}, err
}

type cutBatch struct {
	storage.Batch
	c *cut
}

func (b cutBatch) Mutate(name string, rows []storage.RowMutation) error {
	return b.Batch.Mutate(b.c.name(name), rows)
}

type cutAdmin struct {
	storage.Admin
	c *cut
}

func (a cutAdmin) CreateTable(ctx context.Context, spec storage.TableSpec) error {
	list, first, splits := parts(spec.Name), 0, spec.Splits
	for _, p := range list {
		spec.Name, spec.Splits = p.Table, splits
		if storage.CheckTableSpec(storage.OpCreateTable, &spec) == nil { // splits are advice: those of other parts are left out
			spec.Splits = nil
			for _, k := range splits {
				if int(k[0]) >= first && int(k[0]) < first+p.Buckets {
					spec.Splits = append(spec.Splits, append([]byte{k[0] - byte(first)}, k[1:]...))
				}
			}
		}
		if err := a.Admin.CreateTable(ctx, spec); err != nil {
			return err
		}
		first += p.Places()
	}
	return nil
}

func (a cutAdmin) AlterTable(ctx context.Context, spec storage.TableSpec) error {
	spec.Name = a.c.name(spec.Name)
	return a.Admin.AlterTable(ctx, spec)
}

func (a cutAdmin) DropTable(ctx context.Context, name string) error {
	return a.Admin.DropTable(ctx, a.c.name(name))
}

func (a cutAdmin) Truncate(ctx context.Context, name string) error {
	return a.Admin.Truncate(ctx, a.c.name(name))
}

func (a cutAdmin) Tables(ctx context.Context) ([]storage.TableSpec, error) {
	specs, err := a.Admin.Tables(ctx)
	var out []storage.TableSpec
	for _, s := range specs {
		if whole, ok := strings.CutSuffix(s.Name, ".a"); ok {
			s.Name = whole
			out = append(out, s)
		}
	}
	return out, err
}

// TestStore holds the contract of stores for tables of parts, on a store that moves its scans and on one
// that has files.
func TestStore(t *testing.T) {
	t.Run("mem", func(t *testing.T) {
		storagetest.Run(t, func(t testing.TB) storage.Store {
			s := newCut(mem.New())
			t.Cleanup(func() { s.Close() })
			return s
		})
	})
	t.Run("pebble", func(t *testing.T) {
		storagetest.Run(t, func(t testing.TB) storage.Store {
			inner, err := pebble.Open(t.TempDir(), nil)
			if err != nil {
				t.Fatal(err)
			}
			s := newCut(inner)
			t.Cleanup(func() { s.Close() })
			return s
		})
	})
}

func TestName(t *testing.T) {
	list := []spliced.Part{{Table: "a.b-c.7", Buckets: 0}, {Table: "d", Buckets: 16}}
	name := spliced.Name(list)
	if name != "a.b-c.7:0+d:16" || !slices.Equal(spliced.Parts(name), list) {
		t.Errorf("%s is of %v", name, spliced.Parts(name))
	}
	for _, bad := range []string{"", "plain", "a:", "a:x", "a:-1", ":3", "a:256+b:0", "a:200+b:57", "a:1+", "a:1+b"} {
		if p := spliced.Parts(bad); p != nil {
			t.Errorf("%q is of %v", bad, p)
		}
	}
	if got := spliced.Tables("plain"); !slices.Equal(got, []string{"plain"}) {
		t.Errorf("a plain name is of %v", got)
	}
}

// TestLoad loads rows of all parts as one, and tells of two with one key by the key that they have in the table.
func TestLoad(t *testing.T) {
	ctx := t.Context()
	inner, err := pebble.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	s := newCut(inner)
	defer s.Close()
	if err := s.Admin().CreateTable(ctx, storage.TableSpec{Name: "t", Families: []storage.FamilySpec{{Name: "f"}}}); err != nil {
		t.Fatal(err)
	}
	load := func(keys ...string) error {
		l, err := s.Load(ctx, "t", true)
		if err != nil {
			return err
		}
		defer l.Close()
		for _, k := range keys {
			row := storage.RowMutation{Key: []byte(k), Mutations: []storage.Mutation{{Op: storage.DeleteRow},
				{Op: storage.SetCell, Family: "f", Timestamp: 1000, Value: []byte(k)}}}
			if err := l.Add(ctx, []storage.RowMutation{row}); err != nil {
				return err
			}
		}
		if has, known := l.Has([]byte("none")); known && has {
			t.Error("a row is there that nobody has added")
		}
		if err := l.Prepare(ctx); err != nil {
			return err
		}
		return s.CommitLoads(ctx, []storage.Load{l}, storage.WriteOptions{})
	}
	keys := []string{"\x00a", "\x01b", "\x02", "A", "b", "\xff"}
	if err := load(keys...); err != nil {
		t.Fatal(err)
	}
	var got []string
	err = storage.EachBatch(ctx, s.Table("t"), &storage.ScanRequest{Spans: []storage.Span{{}}}, func(b *storage.RowBatch) error {
		for i := range b.Len() {
			if v, _ := b.Value(i, "f", nil); string(v) != string(b.Key(i)) {
				t.Errorf("row %q has the value of %q", b.Key(i), v)
			}
			got = append(got, string(b.Key(i)))
		}
		return nil
	})
	if err != nil || !slices.Equal(got, keys) {
		t.Errorf("loaded %q, %v", got, err)
	}
	var dup *storage.DuplicateRowError
	if err := load("x", "\x01z", "y", "\x01z"); !errors.As(err, &dup) || string(dup.Key) != "\x01z" || dup.Table != s.name("t") {
		t.Errorf("two rows of one key are %v", err)
	}
}
