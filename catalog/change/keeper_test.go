package change

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage"
	"github.com/saltsql/saltsql/storage/mem"
)

func open(t *testing.T, store storage.Store) *Keeper {
	t.Helper()
	k, err := versions.OpenKeeper(t.Context(), store, versions.Alone, versions.Options{},
		func(*catalog.Snapshot) bool { return false },
		func(context.Context, *versions.Held) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Start(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return &Keeper{Keeper: k}
}

func addSchema(name string) func(*Change) error {
	return func(ch *Change) error {
		id, err := ch.NewID()
		if err != nil {
			return err
		}
		ch.Set(&catalog.Schema{ID: id, Name: name}, catalog.StatePublic)
		return nil
	}
}

// Changes that two keepers make at once are all in, each with an ID of its own.
func TestChangesMeet(t *testing.T) {
	store := mem.New()
	keepers := []*Keeper{open(t, store), open(t, store)}
	var wg sync.WaitGroup
	errs := make([]error, 8)
	for i := range errs {
		wg.Go(func() {
			_, _, errs[i] = keepers[i%2].Change(catalog.AsProgram(context.Background()), addSchema(fmt.Sprint("s", i)))
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
	s, err := keepers[0].Refresh(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ids := map[uint32]bool{}
	for i := range errs {
		sc := s.Schema(fmt.Sprint("s", i))
		if sc == nil || ids[sc.ID] || sc.Owner != catalog.BootstrapRole {
			t.Fatalf("schema s%d: %+v, IDs before it %v", i, sc, ids)
		}
		ids[sc.ID] = true
	}
}

// What ends without a commit leaves the version as it is, and what was set goes.
func TestNothingIsCommitted(t *testing.T) {
	k := open(t, mem.New())
	before := k.Snapshot().Version()
	for _, end := range []error{ErrNothing, sqlerr.New(sqlerr.InternalError, "no")} {
		_, _, err := k.Change(catalog.AsProgram(t.Context()), func(ch *Change) error {
			if err := addSchema("s")(ch); err != nil {
				return err
			}
			if err := ch.UnlessEmpty(); err != nil {
				t.Errorf("a change that set something is empty: %v", err)
			}
			return end
		})
		if end == ErrNothing && err != nil || end != ErrNothing && err != end {
			t.Errorf("ended with %v: %v", end, err)
		}
	}
	if s := k.Snapshot(); s.Version() != before || s.Schema("s") != nil {
		t.Errorf("version %d, was %d; schema %v", s.Version(), before, s.Schema("s"))
	}
}

// A change sees what it has done itself.
func TestChangeSeesItself(t *testing.T) {
	k := open(t, mem.New())
	_, _, err := k.Change(catalog.AsProgram(t.Context()), func(ch *Change) error {
		if ch.UnlessEmpty() != ErrNothing {
			t.Error("a new change is not empty")
		}
		id, err := ch.NewID()
		if err != nil {
			return err
		}
		q := &catalog.Sequence{ID: id, Schema: "public", Name: "q"}
		ch.Set(q, catalog.StatePublic)
		if o, ok := ch.Get(id); !ok || o.Desc != q || !ch.NameTaken("public", "q") {
			t.Errorf("q is not seen: %v %v", o, ok)
		}
		ch.Remove(id)
		if _, ok := ch.Get(id); ok || ch.NameTaken("public", "q") {
			t.Error("q is seen after its removal")
		}
		return ErrNothing
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestNobodyChangesNothing: a context that names no actor has no rights.
func TestNobodyChangesNothing(t *testing.T) {
	k := open(t, mem.New())
	_, _, err := k.Change(t.Context(), addSchema("s"))
	if sqlerr.CodeOf(err) != sqlerr.InternalError || k.Snapshot().Schema("s") != nil {
		t.Errorf("a change by nobody: %v", err)
	}
	ch := New(t.Context(), k.Snapshot())
	for what, err := range map[string]error{
		"creates in public": ch.MayCreateIn("public"), "creates a schema": ch.MayCreateInDatabase(),
		"becomes the superuser": ch.MayBecome(catalog.BootstrapRole), "may use pg_toast": ch.MayUseSchema("pg_toast"),
	} {
		if sqlerr.CodeOf(err) != sqlerr.InsufficientPrivilege {
			t.Errorf("nobody %s: %v", what, err)
		}
	}
	if ch.IsSuperuser(ch.By) || ch.Owns(&catalog.Owned{Owner: catalog.BootstrapRole}) {
		t.Error("nobody is somebody")
	}
	if a := catalog.ActorOf(catalog.AsProgram(catalog.WithActor(t.Context(), 77, "db"))); a.By != catalog.BootstrapRole || a.DatabaseName != "db" {
		t.Errorf("the program acts as %+v", a)
	}
}
