package live

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

// makeMaterialized makes a materialized view m with a unique index.
func makeMaterialized(t *testing.T, c *Catalog) *catalog.Table {
	t.Helper()
	m, _, err := c.CreateTable(catalog.AsProgram(context.Background()), &catalog.TableDef{
		Name: catalog.Name{Name: "m"}, Columns: []catalog.ColumnDef{{Name: "a", Type: types.Of(types.Int4)}},
		Uniques:      []catalog.IndexDef{{Name: "m_a", Unique: true, Parts: []catalog.IndexPartDef{{Column: "a"}}}},
		Materialized: &catalog.Materialized{Query: catalog.ViewQuery{Text: "select 1"}},
	}, false)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// storageTables lists the storage tables, but that of the catalog itself.
func storageTables(t *testing.T, s storage.Store) (names []string) {
	t.Helper()
	tables, err := s.Admin().Tables(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, spec := range tables {
		names = append(names, spec.Name)
	}
	slices.Sort(names)
	return names
}

// noProblems wants a catalog in which all is well.
func noProblems(t *testing.T, c *Catalog) {
	t.Helper()
	ps, err := c.Check(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range ps {
		t.Error(p)
	}
}

// until waits for what another goroutine does.
func until(t *testing.T, what string, done func() bool) {
	t.Helper()
	for range 3000 {
		if done() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("waited in vain until " + what)
}

// TestRefresh: a REFRESH gives the view other storage, and that of before goes.
func TestRefresh(t *testing.T) {
	ctx, store := catalog.AsProgram(context.Background()), mem.New()
	c := openTest(t, store)
	m := makeMaterialized(t, c)
	name := catalog.Name{Name: "m"}
	if m.Materialized.Populated {
		t.Error("a new materialized view is populated")
	}
	before := storageTables(t, store)
	var filled *catalog.Table
	err := c.RefreshMaterialized(ctx, name, RefreshOptions{}, func(_ context.Context, to *catalog.Table) error {
		filled = to
		if now := c.Snapshot().TableByID(m.ID); now.Physical != m.Physical || now.Rewrite == nil || now.Materialized.Populated {
			t.Error("the view shows what is being made")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	now := c.Snapshot().TableByID(m.ID)
	if !now.Materialized.Populated || now.Physical != filled.Physical || now.Physical == m.Physical || now.Rewrite != nil ||
		now.Indexes[0].Physical != filled.Indexes[0].Physical || now.Indexes[0].Physical == m.Indexes[0].Physical {
		t.Errorf("the view is not what was filled: %+v", now)
	}
	until(t, "the old rows are gone", func() bool { return len(storageTables(t, store)) == len(before) })
	noProblems(t, c)
	if _, err := c.DropMaterialized(ctx, []catalog.Name{name}, false, false); err != nil {
		t.Fatal(err)
	}
	if left := storageTables(t, store); len(left) != len(before)-2 {
		t.Errorf("storage is left: %v", left)
	}
	noProblems(t, c)
}

// TestRefreshIndexDropped: the copy of an index that is dropped meanwhile goes too.
func TestRefreshIndexDropped(t *testing.T) {
	ctx, store := catalog.AsProgram(context.Background()), mem.New()
	c := openTest(t, store)
	m := makeMaterialized(t, c)
	err := c.RefreshMaterialized(ctx, catalog.Name{Name: "m"}, RefreshOptions{}, func(context.Context, *catalog.Table) error {
		_, err := c.DropIndex(ctx, []catalog.Name{{Name: "m_a"}}, false, false)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	until(t, "the old rows are gone", func() bool { return len(c.Snapshot().TableByID(m.ID).Retired) == 0 })
	noProblems(t, c)
}

// TestRefreshFails: what fails leaves the view as it was, and no storage.
func TestRefreshFails(t *testing.T) {
	ctx, store := catalog.AsProgram(context.Background()), mem.New()
	c := openTest(t, store)
	m := makeMaterialized(t, c)
	before, broken := storageTables(t, store), errors.New("broken")
	err := c.RefreshMaterialized(ctx, catalog.Name{Name: "m"}, RefreshOptions{}, func(context.Context, *catalog.Table) error { return broken })
	if err == nil {
		t.Error("a REFRESH that failed did not say so")
	}
	if now := c.Snapshot().TableByID(m.ID); now.Physical != m.Physical || now.Rewrite != nil || now.Materialized.Populated {
		t.Errorf("the view has changed: %+v", now)
	}
	if after := storageTables(t, store); !slices.Equal(before, after) {
		t.Errorf("storage is left: %v", after)
	}
	noProblems(t, c)
}

// TestRefreshDies: what a server that ended in the middle has left, another one removes.
func TestRefreshDies(t *testing.T) {
	ctx, store := catalog.AsProgram(context.Background()), mem.New()
	first, err := Open(ctx, store, asBy(OpenOptions{}), OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	m := makeMaterialized(t, first)
	before := storageTables(t, store)
	err = first.RefreshMaterialized(ctx, catalog.Name{Name: "m"}, RefreshOptions{}, func(context.Context, *catalog.Table) error {
		if len(storageTables(t, store)) != len(before)+2 {
			t.Error("the copy has no storage")
		}
		if err := first.Close(); err != nil {
			t.Error(err)
		}
		return sqlerr.New(sqlerr.AdminShutdown, "the server ends")
	})
	if err == nil {
		t.Error("a REFRESH whose server ended did not say so")
	}
	if len(storageTables(t, store)) == len(before) {
		t.Error("the server that ended has cleaned up: the test tests nothing")
	}
	second := openTest(t, store)
	until(t, "the other server has cleaned up", func() bool {
		now := second.Snapshot().TableByID(m.ID)
		return now.Rewrite == nil && slices.Equal(before, storageTables(t, store))
	})
	if now := second.Snapshot().TableByID(m.ID); now.Physical != m.Physical {
		t.Error("the view is not what it was")
	}
	noProblems(t, second)
}
