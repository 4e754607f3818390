package identity

import (
	"slices"
	"testing"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/authz"
	"github.com/saltsql/saltsql/catalog/live"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage/mem"
)

func open(t *testing.T) *live.Catalog {
	t.Helper()
	c, err := live.Open(t.Context(), mem.New(), live.Alone, live.OpenOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

func role(t *testing.T, c *live.Catalog, name string, x authz.RoleChange) uint32 {
	t.Helper()
	if _, err := c.CreateRole(catalog.AsProgram(t.Context()), name, x); err != nil {
		t.Fatal(err)
	}
	return c.Snapshot().Role(name).ID
}

func as(c *live.Catalog, id uint32) *Identity {
	i := &Identity{Login: Who{ID: id}}
	i.Find(c.Snapshot(), 1, func(string) (string, bool) { return "", false }, false)
	return i
}

// Until there are roles everybody comes in; then roles do that may log in.
func TestAdmit(t *testing.T) {
	c, yes := open(t), true
	admit := func(user string) (Who, error) {
		s := c.Snapshot()
		return Admit(s, s.Role(user), user, "d")
	}
	if w, err := admit("anyone"); err != nil || w != (Who{catalog.BootstrapRole, "anyone"}) {
		t.Errorf("before there are roles: %v %v", w, err)
	}
	in := role(t, c, "in", authz.RoleChange{Login: &yes})
	role(t, c, "group", authz.RoleChange{})
	if w, err := admit("in"); err != nil || w != (Who{in, "in"}) {
		t.Errorf("a role that may log in: %v %v", w, err)
	}
	for _, user := range []string{"anyone", "group"} {
		if _, err := admit(user); sqlerr.CodeOf(err) != sqlerr.InvalidAuthorizationSpec {
			t.Errorf("%s: %v", user, err)
		}
	}
}

// SET ROLE stands on SET SESSION AUTHORIZATION, and both by a role's name of now.
func TestFind(t *testing.T) {
	c := open(t)
	a, b := role(t, c, "a", authz.RoleChange{}), role(t, c, "b", authz.RoleChange{})
	id := func(n uint32) string {
		return types.Format(types.Of(types.Int8), types.Datum{Int: int64(n)}, &types.IOEnv{})
	}
	set := map[string]string{"session_authorization": id(a), "role": id(b)}
	i := &Identity{Login: Who{ID: catalog.BootstrapRole}}
	find := func() {
		i.Find(c.Snapshot(), 1, func(k string) (string, bool) { v, ok := set[k]; return v, ok }, false)
	}
	find()
	if i.Session != (Who{a, "a"}) || i.Current != (Who{b, "b"}) || i.Superuser {
		t.Errorf("%+v", i)
	}
	if err := c.RenameRole(catalog.AsProgram(t.Context()), "b", "c", 0); err != nil {
		t.Fatal(err)
	}
	delete(set, "session_authorization")
	find()
	if i.Session.ID != catalog.BootstrapRole || i.Current != (Who{b, "c"}) {
		t.Errorf("after the names and settings have changed: %+v", i)
	}
}

// A search path leaves out what the role may not use; a role has its own schema in it only
// by that of its name.
func TestSearchPath(t *testing.T) {
	c := open(t)
	r := role(t, c, "r", authz.RoleChange{})
	for _, name := range []string{"open", "closed", "r"} {
		if _, err := c.CreateSchema(catalog.AsProgram(t.Context()), name, 0, false); err != nil {
			t.Fatal(err)
		}
	}
	g := authz.Grant{Rights: acl.Usage, Grantees: []uint32{acl.Public}}
	if _, err := c.GrantOnSchemas(catalog.AsProgram(t.Context()), g, []string{"open", "r"}); err != nil {
		t.Fatal(err)
	}
	const setting = `"$user", closed, open,"Quo""ted", `
	if got, want := as(c, r).SearchPath(setting), []string{"r", "open", `Quo"ted`}; !slices.Equal(got, want) {
		t.Errorf("a role's: %q, want %q", got, want)
	}
	if got := as(c, r).SearchPath("closed"); got == nil || len(got) != 0 {
		t.Errorf("of nothing that may be used: %#v", got)
	}
	if got, want := as(c, catalog.BootstrapRole).SearchPath("closed, open"), []string{"closed", "open"}; !slices.Equal(got, want) {
		t.Errorf("a superuser's: %q, want %q", got, want)
	}
}

// Sessions of others are signaled by members of their role, those of superusers by none else.
func TestMaySignal(t *testing.T) {
	c := open(t)
	one := role(t, c, "one", authz.RoleChange{})
	other := role(t, c, "other", authz.RoleChange{InRoles: []uint32{one}})
	for _, x := range []struct {
		by, of uint32
		may    bool
	}{
		{one, one, true}, {other, one, true}, {one, other, false},
		{one, catalog.BootstrapRole, false}, {catalog.BootstrapRole, one, true},
	} {
		if err := as(c, x.by).MaySignal(x.of, "terminate"); (err == nil) != x.may {
			t.Errorf("%d signals %d: %v", x.by, x.of, err)
		}
	}
}
