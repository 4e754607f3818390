package live

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/stored"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
	"github.com/saltsql/saltsql/storage/pebble"
)

var seedFlag = flag.Uint64("seed", 0, "seed of the random DDL; 0 takes that of internal/seeds")

// expected are the codes a statement may fail with because another came first.
var expected = map[sqlerr.Code]bool{
	sqlerr.DuplicateTable: true, sqlerr.UndefinedTable: true, sqlerr.DuplicateColumn: true, sqlerr.UndefinedColumn: true,
	sqlerr.DuplicateSchema: true, sqlerr.InvalidSchemaName: true, sqlerr.DependentObjectsStillExist: true,
}

// TestConcurrentDDL lets two catalogs on one store, with several sessions each,
// do random DDL on few names. Statements fail only for what another has done,
// IDs are never given twice, and at the end both catalogs see the same sound
// state.
func TestConcurrentDDL(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = seeds.First(t)
	}
	t.Logf("seed %d", seed)
	ctx := catalog.AsProgram(context.Background())
	store := mem.New()
	cats := []*Catalog{openTest(t, store), openTest(t, store)}
	var mu sync.Mutex
	ids := map[uint32]string{}
	var wg sync.WaitGroup
	for w := range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			r := rand.New(rand.NewPCG(seed, uint64(w)))
			c := cats[w%2]
			for i := range 25 {
				made, err := randomDDL(ctx, c, r)
				if err != nil && !expected[sqlerr.CodeOf(err)] {
					t.Errorf("worker %d, statement %d: %v (%s)", w, i, err, sqlerr.CodeOf(err))
				}
				if made != 0 {
					mu.Lock()
					if by, dup := ids[made]; dup {
						t.Errorf("ID %d was given twice: %s", made, by)
					}
					ids[made] = fmt.Sprintf("worker %d, statement %d", w, i)
					mu.Unlock()
				}
			}
		}()
	}
	wg.Wait()
	a, err := cats[0].Refresh(ctx)
	if err != nil {
		t.Fatal(err)
	}
	b, err := cats[1].Refresh(ctx)
	if err != nil {
		t.Fatal(err)
	}
	if x, y := dump(t, a), dump(t, b); x != y {
		t.Errorf("the catalogs differ:\n%s\n---\n%s", x, y)
	}
	problems, err := cats[0].Check(ctx)
	if err != nil || len(problems) > 0 {
		t.Errorf("check: %v %v", err, problems)
	}
}

func randomDDL(ctx context.Context, c *Catalog, r *rand.Rand) (made uint32, err error) {
	name := fmt.Sprintf("t%d", r.IntN(3))
	col := fmt.Sprintf("c%d", r.IntN(3))
	alter := func(a AlterAction) error {
		_, err := c.AlterTable(ctx, catalog.Name{Name: name}, false, []AlterAction{a}, AlterHooks{})
		return err
	}
	switch r.IntN(10) {
	case 0, 1, 2:
		tab, _, err := c.CreateTable(ctx, simpleTable(name), false)
		if err == nil {
			made = tab.ID
		}
		return made, err
	case 3:
		_, err = c.DropTable(ctx, []catalog.Name{{Name: name}}, false, r.IntN(2) == 0)
	case 4, 5:
		err = alter(AddColumn{Column: catalog.ColumnDef{Name: col, Type: types.Of(types.Int4)}})
	case 6:
		err = alter(DropColumn{Name: col})
	case 7:
		err = alter(RenameTable{To: fmt.Sprintf("t%d", r.IntN(3))})
	case 8:
		q, _, err := c.CreateSequence(ctx, &catalog.SequenceDef{Name: catalog.Name{Name: "s" + col}}, false)
		if err == nil && q != nil {
			made = q.ID
		}
		return made, err
	case 9:
		_, err = c.DropSequence(ctx, []catalog.Name{{Name: "s" + col}}, false, false)
	}
	return 0, err
}

// dump writes every descriptor in its stored form.
func dump(t *testing.T, s *catalog.Snapshot) string {
	out := fmt.Sprintf("version %d\n", s.Version())
	for _, r := range s.Relations() {
		b, err := stored.Encode(r, catalog.StatePublic)
		if err != nil {
			t.Fatal(err)
		}
		out += string(b) + "\n"
	}
	return out
}

// TestConcurrentNextVal takes values from two catalogs at once: none comes
// twice.
func TestConcurrentNextVal(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	store := mem.New()
	cats := []*Catalog{openTest(t, store), openTest(t, store)}
	q, _, err := cats[0].CreateSequence(ctx, &catalog.SequenceDef{Name: catalog.Name{Name: "s"}, Options: catalog.SequenceOptions{Cache: 3}}, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cats[1].Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	seen := map[int64]bool{}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 100 {
				v, err := cats[w%2].NextVal(ctx, q.ID, 1+i%5)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				for k := range v.Count {
					n := v.First + int64(k)*v.Step
					if seen[n] {
						t.Errorf("value %d came twice", n)
					}
					seen[n] = true
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
}

// TestNextValAfterAlter: a catalog that has not seen the new bounds of a
// sequence looks before it says that the sequence has ended or is damaged.
func TestNextValAfterAlter(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	store := mem.New()
	a, b := openTest(t, store), openTest(t, store)
	one, ten := int64(1), int64(10)
	q, _, err := a.CreateSequence(ctx, &catalog.SequenceDef{Name: catalog.Name{Name: "s"}, Options: catalog.SequenceOptions{Max: &ten}}, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := b.Refresh(ctx); err != nil {
		t.Fatal(err)
	}
	large := int64(1000)
	if _, err := a.AlterSequence(ctx, catalog.Name{Name: "s"}, false, SequenceChange{Max: &large, Restart: &large, Start: &one}); err != nil {
		t.Fatal(err)
	}
	if v, err := b.NextVal(ctx, q.ID, 1); err != nil || v.First != large {
		t.Errorf("%v %v", v, err)
	}
	if _, err := b.NextVal(ctx, q.ID, 1); sqlerr.CodeOf(err) != sqlerr.SequenceLimitExceeded {
		t.Error(err)
	}
}

// TestLostSequenceAnswer: a value whose answer was lost is skipped, not given
// again.
func TestLostSequenceAnswer(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	store := mem.New()
	c := openTest(t, store)
	q, _, err := c.CreateSequence(ctx, &catalog.SequenceDef{Name: catalog.Name{Name: "s"}}, false)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for at := range int64(12) {
		f := &faultStore{Store: store, at: -1, mode: ambiguousOK}
		c2 := openTest(t, f)
		f.calls.Store(0)
		f.at = at
		for range 3 {
			v, err := c2.NextVal(ctx, q.ID, 1)
			if err != nil {
				t.Fatal(err)
			}
			if seen[v.First] {
				t.Fatalf("value %d came twice", v.First)
			}
			seen[v.First] = true
		}
	}
}

// TestLeaseOfTheDead: a lease whose owner is gone holds others up until it
// ends, and not at all where one process has the store to itself.
func TestLeaseOfTheDead(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	for _, exclusive := range []bool{false, true} {
		store := sharedStore{mem.New(), exclusive}
		dead := openTest(t, store)
		dead.Owner = "another process/1"
		if h, err := dead.Acquire(ctx); err != nil || h == nil {
			t.Fatal(err)
		}
		now := time.Now()
		c, err := Open(ctx, store, asBy(OpenOptions{Now: func() time.Time { return now }}), OpenOptions{Now: func() time.Time { return now }})
		if err != nil {
			t.Fatal(err)
		}
		short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
		_, _, err = c.CreateTable(short, simpleTable("t"), false)
		cancel()
		if exclusive != (err == nil) {
			t.Errorf("exclusive %v: %v", exclusive, err)
		}
		if !exclusive {
			if sqlerr.CodeOf(err) != sqlerr.QueryCanceled {
				t.Errorf("waiting ended with %v", err)
			}
			now = now.Add(time.Hour)
			if _, _, err := c.CreateTable(ctx, simpleTable("t"), false); err != nil {
				t.Error(err)
			}
		}
	}
}

// sharedStore says whether other processes may have the store open too.
type sharedStore struct {
	storage.Store
	exclusive bool
}

func (s sharedStore) Caps() storage.Caps {
	c := s.Store.Caps()
	c.Exclusive = s.exclusive
	return c
}

// TestStaleSnapshot: a catalog that has not looked sees the old version, and
// the new one after Refresh.
func TestStaleSnapshot(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	store := mem.New()
	a, b := openTest(t, store), openTest(t, store)
	if err := makeTable("t")(ctx, a); err != nil {
		t.Fatal(err)
	}
	old := b.Snapshot()
	if old.Table("public", "t") != nil {
		t.Error("the table is there before anybody looked")
	}
	s, err := b.Refresh(ctx)
	if err != nil {
		t.Fatal(err)
	}
	ta, tb := a.Snapshot().Table("public", "t"), s.Table("public", "t")
	if tb == nil || ta.ID != tb.ID || ta.Version != tb.Version || ta.Physical != tb.Physical {
		t.Errorf("got %+v, want %+v", tb, ta)
	}
	if again, _ := b.Refresh(ctx); again != s {
		t.Error("a second look read the catalog again")
	}
	if err := alterTable(RenameColumn{From: "v", To: "w"})(ctx, a); err != nil {
		t.Fatal(err)
	}
	if tb.ColumnByName("v") == nil {
		t.Error("a descriptor changed under its reader")
	}
}

// TestPoll: a polling catalog sees what another has done.
func TestPoll(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	store := mem.New()
	a := openTest(t, store)
	b, err := Open(ctx, store, asBy(OpenOptions{Poll: time.Millisecond}), OpenOptions{Poll: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if err := makeTable("t")(ctx, a); err != nil {
		t.Fatal(err)
	}
	for b.Snapshot().Table("public", "t") == nil {
		if err := versions.Sleep(ctx, time.Millisecond); err != nil {
			t.Fatal(err)
		}
	}
}

// TestReopenPebble: what was made on the embedded store is there when it is
// opened again, and its lease is free.
func TestReopenPebble(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	dir := t.TempDir()
	var want string
	for round := range 3 {
		store, err := pebble.Open(dir, nil)
		if err != nil {
			t.Fatal(err)
		}
		c, err := Open(ctx, store, asBy(OpenOptions{}), OpenOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if round > 0 {
			if got := dump(t, c.Snapshot()); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		}
		name := fmt.Sprintf("t%d", round)
		if err := makeTable(name)(ctx, c); err != nil {
			t.Fatal(err)
		}
		if _, err := c.AlterTable(ctx, catalog.Name{Name: name}, false, []AlterAction{
			AddColumn{Column: catalog.ColumnDef{Family: "f", Name: "c", Type: types.Of(types.Int4), NotNull: true}},
		}, AlterHooks{}); err != nil {
			t.Fatal(err)
		}
		if round == 2 {
			if _, err := c.DropTable(ctx, []catalog.Name{{Name: "t0"}, {Name: "t1"}}, false, false); err != nil {
				t.Fatal(err)
			}
		}
		if ps, err := c.Check(ctx); err != nil || len(ps) > 0 {
			t.Errorf("check: %v %v", err, ps)
		}
		want = dump(t, c.Snapshot())
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPhysicalTable: the storage table has the buckets as split points, the
// families with their TTL, and a name that outlives RENAME.
func TestPhysicalTable(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	store := mem.New()
	c := openTest(t, store)
	if err := makeTable("t")(ctx, c); err != nil {
		t.Fatal(err)
	}
	tab := c.Snapshot().Table("public", "t")
	if err := alterTable(RenameTable{To: "u"})(ctx, c); err != nil {
		t.Fatal(err)
	}
	if got := c.Snapshot().Table("public", "u").Physical; got != tab.Physical {
		t.Errorf("the storage table was %s and is %s", tab.Physical, got)
	}
	specs, err := store.Admin().Tables(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var found *storage.TableSpec
	for i := range specs {
		if specs[i].Name == tab.Physical {
			found = &specs[i]
		}
	}
	if found == nil {
		t.Fatalf("no storage table %s in %v", tab.Physical, specs)
	}
	if len(found.Families) != 1 || found.Families[0].Name != "0" || found.Families[0].TTL != 1000*time.Second {
		t.Errorf("families %+v", found.Families)
	}
	if len(found.Splits) > 0 && len(found.Splits) != 3 {
		t.Errorf("splits %X", found.Splits)
	}
}
