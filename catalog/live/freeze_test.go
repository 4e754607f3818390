package live

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// asBy is a Member where the options say how often to look for what others do.
func asBy(opts OpenOptions) versions.As {
	if opts.Poll > 0 {
		return Member
	}
	return Alone
}

func openShared(t testing.TB, store storage.Store, opts OpenOptions) *Catalog {
	t.Helper()
	if opts.Poll == 0 {
		opts.Poll = 5 * time.Millisecond
	}
	c, err := Open(context.Background(), store, asBy(opts), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func addColumn(name string) AlterAction {
	return AddColumn{Column: catalog.ColumnDef{Name: name, Type: types.Of(types.Int4)}}
}

// tableOf gives the table as a catalog knows it, once it does.
func tableOf(t testing.TB, c *Catalog, name string) *catalog.Table {
	t.Helper()
	for range 1000 {
		if tab := c.Snapshot().Table("public", name); tab != nil {
			return tab
		}
		if _, err := c.Refresh(context.Background()); err != nil {
			t.Fatal(err)
		}
	}
	t.Fatalf("table %s does not show", name)
	return nil
}

// ALTER TABLE on one server waits for the write that is under way on another,
// or on the same one, whose next one under the old descriptor is refused.
func TestAlterWaitsForWrites(t *testing.T) {
	t.Run("another server", func(t *testing.T) {
		store := mem.New()
		testAlterWaits(t, openShared(t, store, OpenOptions{}), openShared(t, store, OpenOptions{}))
	})
	t.Run("one server", func(t *testing.T) {
		c := openShared(t, mem.New(), OpenOptions{})
		testAlterWaits(t, c, c)
	})
}

func testAlterWaits(t *testing.T, a, b *Catalog) {
	ctx := catalog.AsProgram(context.Background())
	if err := makeTable("t")(ctx, a); err != nil {
		t.Fatal(err)
	}
	old := tableOf(t, b, "t")
	_, leave, err := b.Enter(ctx, old)
	if err != nil {
		t.Fatal(err)
	}
	var left atomic.Bool
	done := make(chan error, 1)
	go func() {
		err := alterTable(addColumn("c"))(ctx, a)
		if !left.Load() {
			t.Error("the table was altered during a write")
		}
		done <- err
	}()
	for tries := 0; !tableOf(t, b, "t").Frozen; tries++ {
		if tries == 60_000 {
			t.Fatal("the table is not frozen")
		}
		time.Sleep(time.Millisecond)
	}
	short, cancel := context.WithTimeout(ctx, 30*time.Millisecond)
	defer cancel()
	if _, _, err := b.Enter(short, old); sqlerr.CodeOf(err) != sqlerr.QueryCanceled {
		t.Errorf("a write to a frozen table: %v", err)
	}
	left.Store(true)
	leave()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if _, err := b.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	if _, _, err := b.Enter(ctx, old); sqlerr.CodeOf(err) != sqlerr.SerializationFailure {
		t.Errorf("a write under the old descriptor: %v", err)
	}
	_, leave, err = b.Enter(ctx, tableOf(t, b, "t"))
	if err != nil {
		t.Fatal(err)
	}
	leave()
	// What does no harm to writes does not stop them.
	now := tableOf(t, b, "t")
	if err := alterTable(RenameColumn{From: "c", To: "d"})(ctx, a); err != nil {
		t.Fatal(err)
	}
	if _, err := b.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	if _, leave, err = b.Enter(ctx, now); err != nil {
		t.Errorf("after a RENAME: %v", err)
	} else {
		leave()
	}
}

// cutStore can be cut off from the store under it.
type cutStore struct {
	faultStore
	cut atomic.Bool
}

func (s *cutStore) Table(name string) storage.Table { return cutTable{s.Store.Table(name), s} }

type cutTable struct {
	storage.Table
	s *cutStore
}

func (t cutTable) gone() error {
	if t.s.cut.Load() {
		return storage.Errorf(storage.CodeDeadlineExceeded, "test", "", "no answer")
	}
	return nil
}

func (t cutTable) MultiGet(ctx context.Context, keys [][]byte, req *storage.ScanRequest, dst *storage.RowBatch) (int, error) {
	if err := t.gone(); err != nil {
		return 0, err
	}
	return t.Table.MultiGet(ctx, keys, req, dst)
}

func (t cutTable) Mutate(ctx context.Context, rows []storage.RowMutation, o storage.WriteOptions) error {
	if err := t.gone(); err != nil {
		return err
	}
	return t.Table.Mutate(ctx, rows, o)
}

// A server that is cut off loses its lease and stops writing before others
// take it for dead; when it is back it does not write by what it knew.
func TestLostServer(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	store := mem.New()
	opts := OpenOptions{Lease: 300 * time.Millisecond}
	cut := &cutStore{faultStore: faultStore{Store: store, at: -1}}
	a, b := openShared(t, store, opts), openShared(t, cut, opts)
	if err := makeTable("t")(ctx, a); err != nil {
		t.Fatal(err)
	}
	old := tableOf(t, b, "t")
	held, leave, err := b.Enter(ctx, old)
	if err != nil {
		t.Fatal(err)
	}
	cut.cut.Store(true)
	altered := make(chan error, 1)
	go func() { altered <- alterTable(addColumn("c"))(ctx, a) }()
	<-held.Done() // its write is ended with its lease
	select {
	case err := <-altered:
		t.Errorf("altered while the lost server could write: %v", err)
	default:
	}
	leave()
	if _, _, err := b.Enter(ctx, old); sqlerr.CodeOf(err) != sqlerr.CannotConnectNow {
		t.Errorf("a write of the lost server: %v", err)
	}
	if err := b.Live(ctx); sqlerr.CodeOf(err) != sqlerr.CannotConnectNow {
		t.Errorf("a statement of the lost server: %v", err)
	}
	if err := <-altered; err != nil {
		t.Fatal(err)
	}
	cut.cut.Store(false)
	if _, _, err := b.Enter(ctx, old); sqlerr.CodeOf(err) != sqlerr.SerializationFailure {
		t.Errorf("a write of the server that came back: %v", err)
	}
	if _, leave, err := b.Enter(ctx, tableOf(t, b, "t")); err != nil {
		t.Error(err)
	} else {
		leave()
	}
}

// Writers on several servers never write rows of two descriptors at one time,
// whatever the servers that alter do.
func TestTwoVersions(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	store := mem.New()
	cats := make([]*Catalog, 3)
	for i := range cats {
		cats[i] = openShared(t, store, OpenOptions{})
	}
	if err := makeTable("t")(ctx, cats[0]); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	under := map[int]int{} // writes under way by the columns they know
	writes := 0
	stop := make(chan struct{})
	var writers, alters sync.WaitGroup
	for w := range 6 {
		c := cats[w%len(cats)]
		tab := tableOf(t, c, "t")
		writers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if rand.N(2) == 0 { // a new statement
					tab = c.Snapshot().Table("public", "t")
				}
				_, leave, err := c.Enter(ctx, tab)
				if err != nil {
					if sqlerr.CodeOf(err) != sqlerr.SerializationFailure {
						t.Error(err)
						return
					}
					tab = c.Snapshot().Table("public", "t")
					continue
				}
				mu.Lock()
				columns := len(tab.Columns)
				under[columns]++
				writes++
				if len(under) != 1 {
					t.Errorf("writes under %v at one time", under)
				}
				mu.Unlock()
				time.Sleep(time.Duration(rand.N(12_000)) * time.Microsecond)
				mu.Lock()
				if under[columns]--; under[columns] == 0 {
					delete(under, columns)
				}
				mu.Unlock()
				leave()
			}
		})
	}
	for i, c := range cats[:2] {
		alters.Go(func() {
			for k := range 8 {
				if err := alterTable(addColumn(fmt.Sprintf("c%d_%d", i, k)))(ctx, c); err != nil {
					t.Error(err)
				}
			}
		})
	}
	alters.Wait()
	close(stop)
	writers.Wait()
	s, err := cats[2].Refresh(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(s.Table("public", "t").Columns); n != 18 || writes == 0 {
		t.Errorf("%d columns after %d writes", n, writes)
	}
	if ps, err := cats[0].Check(ctx); err != nil || len(ps) > 0 {
		t.Errorf("check: %v %v", err, ps)
	}
}

// Clocks that differ by more than a quarter of the lease are found by one of
// the two servers at least, which refuses DDL.
func TestClockSkew(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	for _, skew := range []time.Duration{-time.Minute, time.Minute, 20 * time.Millisecond} {
		store := mem.New()
		opts := OpenOptions{Lease: 400 * time.Millisecond, Poll: time.Millisecond}
		a := openShared(t, store, opts)
		opts.Now = func() time.Time { return time.Now().Add(skew) }
		b := openShared(t, store, opts)
		refused := func() bool { return a.CheckSkew() != nil || b.CheckSkew() != nil }
		for range 60_000 {
			if refused() {
				break
			}
			if skew.Abs() < opts.Lease/4+time.Millisecond {
				break
			}
			time.Sleep(time.Millisecond)
		}
		if want := skew.Abs() > opts.Lease/4; refused() != want {
			t.Errorf("skew %v: refused %v", skew, refused())
		}
		if a.CheckSkew() != nil {
			if err := makeTable("t")(ctx, a); sqlerr.CodeOf(err) != sqlerr.ObjectNotInPrerequisite {
				t.Errorf("skew %v: %v", skew, err)
			}
		}
	}
}
