package authz

import (
	"context"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

func open(t *testing.T) (Authority, *change.Keeper) {
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
	ch := &change.Keeper{Keeper: k}
	return New(ch), ch
}

func (a Authority) testRole(t *testing.T, name string, x RoleChange) uint32 {
	t.Helper()
	if _, err := a.CreateRole(catalog.AsProgram(t.Context()), name, x); err != nil {
		t.Fatal(err)
	}
	return a.keeper.Snapshot().Role(name).ID
}

func refused(t *testing.T, err error, code sqlerr.Code, text string) {
	t.Helper()
	if sqlerr.CodeOf(err) != code || !strings.Contains(sqlerr.As(err).Message, text) {
		t.Errorf("%v, want %s %s", err, code, text)
	}
}

// A role that something names is not dropped, and the DETAIL has all of it.
func TestDropRoleInUse(t *testing.T) {
	a, k := open(t)
	owner, reader := a.testRole(t, "owner", RoleChange{}), a.testRole(t, "reader", RoleChange{})
	_, _, err := k.Change(catalog.AsProgram(t.Context()), func(ch *change.Change) error {
		id, err := ch.NewID()
		ch.Set(&catalog.Schema{ID: id, Name: "s", Owned: catalog.Owned{Owner: owner}}, catalog.StatePublic)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.GrantOnSchemas(catalog.AsProgram(t.Context()), Grant{Rights: acl.Usage, Grantees: []uint32{reader}}, []string{"s"}); err != nil {
		t.Fatal(err)
	}
	for name, detail := range map[string]string{"owner": "owner of schema s", "reader": "privileges for schema s"} {
		_, err := a.DropRole(catalog.AsProgram(t.Context()), []string{name}, false, catalog.BootstrapRole)
		refused(t, err, sqlerr.DependentObjectsStillExist, `role "`+name+`" cannot be dropped`)
		if e := sqlerr.As(err); e != nil && e.Detail != detail {
			t.Errorf("DETAIL %q, want %q", e.Detail, detail)
		}
	}
	if err := a.ReassignOwned(catalog.AsProgram(t.Context()), []uint32{owner}, catalog.BootstrapRole); err != nil {
		t.Fatal(err)
	}
	if _, err := a.GrantOnSchemas(catalog.AsProgram(t.Context()), Grant{Revoke: true, All: true, Grantees: []uint32{reader}}, []string{"s"}); err != nil {
		t.Fatal(err)
	}
	if _, err := a.DropRole(catalog.AsProgram(t.Context()), []string{"owner", "reader"}, false, catalog.BootstrapRole); err != nil {
		t.Fatal(err)
	}
}

// Who may only use an object cannot grant it on; who may grant it on can.
func TestGrantOption(t *testing.T) {
	a, k := open(t)
	first, second := a.testRole(t, "first", RoleChange{}), a.testRole(t, "second", RoleChange{})
	use := func(by uint32, g Grant) error {
		g.Rights = acl.Usage
		_, err := a.GrantOnSchemas(catalog.WithActor(t.Context(), by, "d"), g, []string{"public"})
		return err
	}
	if err := use(catalog.BootstrapRole, Grant{Grantees: []uint32{first}}); err != nil {
		t.Fatal(err)
	}
	if err := use(first, Grant{Grantees: []uint32{second}}); err != nil {
		t.Fatal(err) // which warns
	}
	holds := func(role uint32) bool {
		return k.Snapshot().Schema("public").Rights.Names(role)
	}
	if holds(second) {
		t.Fatal("a right was granted on without GRANT OPTION")
	}
	if err := use(catalog.BootstrapRole, Grant{Option: true, Grantees: []uint32{first}}); err != nil {
		t.Fatal(err)
	}
	if err := use(first, Grant{Grantees: []uint32{second}}); err != nil {
		t.Fatal(err)
	}
	if !holds(second) {
		t.Fatal("the right was not granted on")
	}
	revoke := Grant{Revoke: true, Grantees: []uint32{first}}
	refused(t, use(catalog.BootstrapRole, revoke), sqlerr.DependentObjectsStillExist, "dependent privileges exist")
	revoke.Cascade = true
	if err := use(catalog.BootstrapRole, revoke); err != nil {
		t.Fatal(err)
	}
	if holds(first) || holds(second) {
		t.Error("CASCADE has left a right")
	}
}

// Memberships make no circle, and only who administers a role changes who is in it.
func TestMemberships(t *testing.T) {
	a, _ := open(t)
	inner := a.testRole(t, "inner", RoleChange{})
	outer := a.testRole(t, "outer", RoleChange{InRoles: []uint32{inner}})
	_, err := a.GrantRole(catalog.AsProgram(t.Context()), []string{"outer"}, []uint32{inner}, 0, false)
	refused(t, err, sqlerr.InvalidGrantOperation, `role "outer" is a member of role "inner"`)
	_, err = a.GrantRole(catalog.WithActor(t.Context(), outer, "d"), []string{"inner"}, []uint32{outer}, 0, true)
	refused(t, err, sqlerr.InsufficientPrivilege, `must have admin option on role "inner"`)
}
