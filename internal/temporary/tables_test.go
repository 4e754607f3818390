package temporary

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/memory"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/txn"
)

// database is a store with a catalog that has a table "lasting".
type database struct {
	*testing.T
	store   *mem.Store
	catalog *live.Catalog
	txns    *txn.Manager
}

func openDatabase(t *testing.T) *database {
	d := &database{T: t, store: mem.New()}
	var err error
	if d.catalog, err = live.Open(t.Context(), d.store, live.Serving(d.store), live.OpenOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { d.catalog.Close() })
	d.create(d.catalog, "public", "lasting")
	d.txns = txn.NewManager(d.store, nil)
	return d
}

func (d *database) create(c *live.Catalog, schema, name string) *catalog.Table {
	d.Helper()
	table, _, err := c.CreateTable(catalog.AsProgram(d.Context()), &catalog.TableDef{
		Name:       catalog.Name{Schema: schema, Name: name},
		Columns:    []catalog.ColumnDef{{Name: "k", Type: types.Of(types.Int4), NotNull: true}},
		PrimaryKey: []catalog.KeyDef{{Name: "k"}},
	}, false)
	if err != nil {
		d.Fatal(err)
	}
	return table
}

func (d *database) session(limit int64) (*Tables, *memory.Account) {
	d.Helper()
	account := &memory.Account{}
	account.Open(nil, limit, 0)
	t, err := Open(d.Context(), &Options{Store: d.store, Txns: d.txns, Base: d.catalog.Snapshot, Account: account,
		Now: time.Now, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		d.Fatal(err)
	}
	return t, account
}

func write(s storage.Store, table, key string, size int) error {
	cell := storage.Mutation{Op: storage.SetCell, Family: "0", Qualifier: []byte("q"), Timestamp: 1000, Value: make([]byte, size)}
	return s.Table(table).Mutate(context.Background(), []storage.RowMutation{{Key: []byte(key), Mutations: []storage.Mutation{cell}}}, storage.WriteOptions{})
}

func remove(s storage.Store, table, key string) error {
	gone := []storage.Mutation{{Op: storage.DeleteRow}}
	return s.Table(table).Mutate(context.Background(), []storage.RowMutation{{Key: []byte(key), Mutations: gone}}, storage.WriteOptions{})
}

func rows(t *testing.T, s storage.Store, table string) (n int) {
	t.Helper()
	sc, err := s.Table(table).Scan(t.Context(), &storage.ScanRequest{Spans: []storage.Span{{}}})
	if err != nil {
		t.Fatal(err)
	}
	defer sc.Close()
	var b storage.RowBatch
	for {
		switch err := sc.Next(&b); {
		case errors.Is(err, io.EOF):
			return n
		case err != nil:
			t.Fatal(err)
		}
		n += b.Len()
	}
}

// TestEnds has two sessions make tables, write them and end transactions in random order, and
// compares with a model: ON COMMIT says what becomes of tables and rows, ROLLBACK and a savepoint's
// take the tables that were made since, no session sees those of another, and the database's store
// has none of either.
func TestEnds(t *testing.T) {
	type table struct {
		physical string
		on       OnCommit
		rows     int
		fresh    []string // keys that the transaction has written, which ROLLBACK takes back
	}
	type session struct {
		*Tables
		model map[string]*table
		order []string // that the transaction has made, in order
	}
	d := openDatabase(t)
	lasting := d.catalog.Snapshot().Table("public", "lasting").Physical
	if err := write(d.store, lasting, "k", 1); err != nil {
		t.Fatal(err)
	}
	before, err := d.store.Admin().Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(11, 12))
	var both []*session
	for range 2 {
		s, _ := d.session(0)
		both = append(both, &session{Tables: s, model: map[string]*table{}})
	}
	forget := func(s *session, n int) {
		for _, name := range s.order[n:] {
			delete(s.model, name)
		}
		s.order = s.order[:n]
	}
	stamps, number := map[uint64]string{}, 0
	for step := range 600 {
		which := r.IntN(2)
		s := both[which]
		what := ""
		switch r.IntN(8) {
		case 0, 1, 2:
			number++
			name, on := fmt.Sprintf("t%d", number), OnCommit(r.IntN(3))
			made := d.create(s.Catalog, s.Schema, name)
			s.Made(made.ID, on)
			s.model[name], s.order = &table{physical: made.Physical, on: on}, append(s.order, name)
			what = fmt.Sprint("make ", name, on)
		case 3, 4:
			for _, m := range s.model {
				s.Wrote()
				if err := write(s.Txns.Auto(), m.physical, fmt.Sprint(step), 1); err != nil {
					t.Fatal(err)
				}
				m.rows, m.fresh = m.rows+1, append(m.fresh, fmt.Sprint(step))
			}
			what = "write"
		case 5:
			n := r.IntN(len(s.order) + 1)
			if s.NumMade() != len(s.order) {
				t.Fatalf("%d are made, want %d", s.NumMade(), len(s.order))
			}
			s.Unmake(n)
			forget(s, n)
			what = fmt.Sprint("unmake to ", n)
		case 6:
			committed := r.IntN(2) == 0
			s.End(committed)
			if !committed {
				forget(s, 0)
			}
			s.order = nil
			for name, m := range s.model {
				switch {
				case !committed:
					for _, key := range m.fresh {
						if err := remove(s.Txns.Auto(), m.physical, key); err != nil {
							t.Fatal(err)
						}
					}
					m.rows -= len(m.fresh)
				case committed && m.on == DropTable:
					delete(s.model, name)
				case committed && m.on == DeleteRows:
					m.rows = 0
				}
				m.fresh = nil
			}
			what = fmt.Sprint("end ", committed)
		case 7:
			if step%5 == 0 {
				s.Discard()
				s.End(true)
				s.model, s.order = map[string]*table{}, nil
				what = "discard"
			}
		}
		for i, s := range both {
			var has []string
			for _, of := range s.Catalog.Snapshot().Tables() {
				has = append(has, of.Name)
				if m := s.model[of.Name]; m != nil && rows(t, s.Txns.Raw(), of.Physical) != m.rows {
					t.Fatalf("%d: session %d, %s: %s has not %d rows", step, which, what, of.Name, m.rows)
				}
			}
			slices.Sort(has)
			if want := slices.Sorted(maps.Keys(s.model)); !slices.Equal(has, want) {
				t.Fatalf("%d: session %d, %s: session %d has %v, want %v", step, which, what, i, has, want)
			}
			laid := s.OverCatalog()
			if laid.Table("public", "lasting") == nil || len(laid.Tables()) != len(has)+1 || rows(t, s.Txns.Raw(), lasting) != 1 {
				t.Fatalf("%d: session %d sees %d tables over the database's", step, i, len(laid.Tables()))
			}
			state := fmt.Sprint(i, s.Catalog.Snapshot().Version())
			if old, ok := stamps[s.Stamp()]; ok && old != state {
				t.Fatalf("%d: states %s and %s have one stamp", step, old, state)
			}
			stamps[s.Stamp()] = state
		}
	}
	if after, err := d.store.Admin().Tables(t.Context()); err != nil || len(after) != len(before) {
		t.Errorf("the database's store has %d tables, before it were %d; %v", len(after), len(before), err)
	}
	for _, s := range both {
		s.Close()
	}
}

// TestRoom: what tables hold is booked with the session, refused where there is no more, and given
// back by whatever removes it.
func TestRoom(t *testing.T) {
	d := openDatabase(t)
	s, account := d.session(4 << 20)
	made := d.create(s.Catalog, s.Schema, "t")
	s.Made(made.ID, DeleteRows)
	fill := func() (err error) {
		s.Wrote()
		for i := 0; err == nil && i < 100; i++ {
			err = write(s.Txns.Auto(), made.Physical, fmt.Sprint(i), 100<<10)
		}
		return err
	}
	for range 2 { // the room is there again once the rows are gone
		err := fill()
		var e *sqlerr.Error
		if !errors.As(err, &e) || e.Code != sqlerr.OutOfMemory {
			t.Fatalf("more than there is room for: %v", err)
		}
		if used := account.Used(); used < 2<<20 || used > 4<<20 {
			t.Errorf("%d bytes are booked", used)
		}
		s.End(true)
		if used := account.Used(); used > 1<<20 {
			t.Errorf("%d bytes are booked when the rows are gone", used)
		}
	}
	_ = fill()
	s.Close()
	if used := account.Used(); used != 0 {
		t.Errorf("%d bytes are booked at the end", used)
	}
}
