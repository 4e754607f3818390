package usertype

import (
	"context"
	"errors"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/mem"
)

func open(t *testing.T) Types {
	t.Helper()
	k, err := versions.OpenKeeper(t.Context(), mem.New(), versions.Alone, versions.Options{},
		func(*catalog.Snapshot) bool { return false },
		func(context.Context, *versions.Held) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := k.Start(func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return New(&change.Keeper{Keeper: k})
}

// Values that are added between others sort where they were put, and those that were there
// keep the codes that rows have of them.
func TestAddEnumValue(t *testing.T) {
	ts, n := open(t), catalog.Name{Schema: "public", Name: "mood"}
	if err := ts.CreateEnum(catalog.AsProgram(t.Context()), n, []string{"sad", "happy"}); err != nil {
		t.Fatal(err)
	}
	labels := func() []types.Label {
		ty, _ := ts.keeper.Snapshot().TypeNamed(n)
		return ty.Labels
	}
	sad, happy := labels()[0].Code, labels()[1].Code
	for _, v := range []EnumValue{
		{Text: "ok", HasNeighbour: true, Neighbour: "happy"},
		{Text: "fine", HasNeighbour: true, Neighbour: "ok", After: true},
		{Text: "glad"},
		{Text: "grim", HasNeighbour: true, Neighbour: "sad"},
	} {
		if _, err := ts.AddEnumValue(catalog.AsProgram(t.Context()), n, v); err != nil {
			t.Fatal(err)
		}
	}
	list := labels()
	for i, want := range []string{"grim", "sad", "ok", "fine", "happy", "glad"} {
		if i >= len(list) || list[i].Text != want || i > 0 && list[i].Code <= list[i-1].Code {
			t.Fatalf("labels %+v, want %s at %d", list, want, i)
		}
	}
	if list[1].Code != sad || list[4].Code != happy {
		t.Errorf("the codes of sad and happy have changed: %+v", list)
	}
	if _, err := ts.AddEnumValue(catalog.AsProgram(t.Context()), n, EnumValue{Text: "ok"}); sqlerr.CodeOf(err) != sqlerr.DuplicateObject {
		t.Errorf("a value twice: %v", err)
	}
	if ns, err := ts.AddEnumValue(catalog.AsProgram(t.Context()), n, EnumValue{Text: "ok", IfNotExists: true}); err != nil || len(ns) != 1 {
		t.Errorf("IF NOT EXISTS: %v %v", ns, err)
	}
}

// A constraint of a domain that no column has holds at once; one that is dropped or named
// twice is refused where it should be.
func TestDomainChecks(t *testing.T) {
	ts, n := open(t), catalog.Name{Schema: "public", Name: "positive"}
	if err := ts.CreateDomain(catalog.AsProgram(t.Context()), &catalog.DomainDef{Name: n, Base: types.Of(types.Int4)}); err != nil {
		t.Fatal(err)
	}
	test := func(context.Context, *catalog.Table, int, *types.Domain, *types.DomainCheck) (bool, error) {
		return false, errors.New("there is no column to test")
	}
	add := func(name string) error {
		return ts.ConstrainDomain(catalog.AsProgram(t.Context()), n, &catalog.DomainCheckDef{Name: name, Cond: "true"}, test)
	}
	if err := add("k"); err != nil {
		t.Fatal(err)
	}
	if err := ts.SetDomainNotNull(catalog.AsProgram(t.Context()), n, true, test); err != nil {
		t.Fatal(err)
	}
	ty, _ := ts.keeper.Snapshot().TypeNamed(n)
	if d := ty.Domain; len(d.Checks) != 1 || d.Checks[0].Pending || d.Checks[0].NotValid || !d.NotNull || IsPending(ty) {
		t.Errorf("the domain is %+v", d)
	}
	if err := add("k"); sqlerr.CodeOf(err) != sqlerr.DuplicateObject {
		t.Errorf("a name twice: %v", err)
	}
	if _, err := ts.DropDomainCheck(catalog.AsProgram(t.Context()), n, "none", false); sqlerr.CodeOf(err) != sqlerr.UndefinedObject {
		t.Errorf("a constraint that is not there: %v", err)
	}
	if err := ts.RenameEnumValue(catalog.AsProgram(t.Context()), n, "a", "b"); sqlerr.CodeOf(err) != sqlerr.WrongObjectType {
		t.Errorf("a value of a domain: %v", err)
	}
}

// What a server that died left of a constraint goes, and what holds stays.
func TestWithoutPending(t *testing.T) {
	old := &catalog.Type{Domain: &types.Domain{NotNullPending: true, Checks: []types.DomainCheck{{Name: "holds"}, {Name: "pending", Pending: true}}}}
	if !IsPending(old) {
		t.Fatal("nothing is pending")
	}
	d := WithoutPending(old)
	if IsPending(d) || len(d.Domain.Checks) != 1 || d.Domain.Checks[0].Name != "holds" || len(old.Domain.Checks) != 2 {
		t.Errorf("%+v, of %+v", d.Domain, old.Domain)
	}
}
