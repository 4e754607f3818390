package sequence

import (
	"context"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/identity"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

type testHost struct {
	c        *live.Catalog
	readOnly bool
}

func (h *testHost) Snapshot() *catalog.Snapshot    { return h.c.Snapshot() }
func (h *testHost) ReadOnly() bool                 { return h.readOnly }
func (h *testHost) Keeper(id uint32) *live.Catalog { return h.c }

func (h *testHost) Identity() *identity.Identity {
	i := &identity.Identity{Login: identity.Who{ID: catalog.BootstrapRole}}
	i.Find(h.c.Snapshot(), 1, func(string) (string, bool) { return "", false }, false)
	return i
}

// TestDrawn draws from two sequences: each has what was last drawn of it, until it is forgotten or
// gone; another of its name is another.
func TestDrawn(t *testing.T) {
	ctx := catalog.AsProgram(context.Background())
	c, err := live.Open(ctx, mem.New(), live.Alone, live.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	create := func(name string) uint32 {
		q, _, err := c.CreateSequence(ctx, &catalog.SequenceDef{Name: catalog.Name{Name: name}}, false)
		if err != nil {
			t.Fatal(err)
		}
		return q.ID
	}
	a, b := create("a"), create("b")
	var d Drawn
	h := &testHost{c: c}
	is := func(want int64, code sqlerr.Code, got int64, err error) {
		t.Helper()
		if sqlerr.CodeOf(err) != code || err == nil && got != want {
			t.Errorf("%d, %v; want %d, %s", got, err, want, code)
		}
	}
	curr := func(id uint32) (int64, error) { return d.CurrVal(h, id) }
	last := func() (int64, error) { return d.LastVal(h) }
	none := sqlerr.ObjectNotInPrerequisite
	ok := sqlerr.CodeOf(nil)
	check := func(want int64, code sqlerr.Code, f func() (int64, error)) {
		t.Helper()
		got, err := f()
		is(want, code, got, err)
	}
	check(0, none, func() (int64, error) { return curr(a) })
	check(0, none, last)
	if v, err := d.NextVal(ctx, h, a, 1); err != nil || v.First != 1 || v.Count != 1 {
		t.Fatal(v, err)
	}
	v, err := d.NextVal(ctx, h, b, 5)
	if err != nil {
		t.Fatal(v, err)
	}
	check(1, ok, func() (int64, error) { return curr(a) })
	check(v.First+v.Step*int64(v.Count-1), ok, last)
	if err := d.SetVal(ctx, h, a, 70, true); err != nil {
		t.Fatal(err)
	}
	if err := d.SetVal(ctx, h, b, 90, false); err != nil {
		t.Fatal(err)
	}
	check(70, ok, func() (int64, error) { return curr(a) })
	check(v.First+v.Step*int64(v.Count-1), ok, last)
	if at, called, err := d.State(ctx, h, b); at != 90 || called || err != nil {
		t.Errorf("%d %v %v", at, called, err)
	}
	h.readOnly = true
	if _, err := d.NextVal(ctx, h, a, 1); sqlerr.CodeOf(err) != sqlerr.ReadOnlySQLTransaction {
		t.Error(err)
	}
	h.readOnly = false
	if _, err := c.DropSequence(ctx, []catalog.Name{{Name: "b"}}, false, false); err != nil {
		t.Fatal(err)
	}
	check(0, none, last)
	check(0, none, func() (int64, error) { return curr(create("b")) })
	check(0, sqlerr.UndefinedTable, func() (int64, error) { return curr(b) })
	d.Forget()
	check(0, none, func() (int64, error) { return curr(a) })
}
