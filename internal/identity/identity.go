package identity

import (
	"strconv"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Identity is whom a session acts for: who connected, whom SET SESSION AUTHORIZATION has
// made of them, and whom SET ROLE. A user that no role is named after has the rights of the
// bootstrap role under a name of its own: see admit.
type Identity struct {
	Login, Session, Current Who
	Superuser               bool // current is

	At uint64            // the generation of the settings it was found under
	Of *catalog.Snapshot // and the catalog
}

// Who is a role and the name that it goes by.
type Who struct {
	ID   uint32
	Name string
}

// Find looks the identity up in a snapshot, under settings that get gives; a user without a
// role is unlisted.
func (i *Identity) Find(snap *catalog.Snapshot, at uint64, get func(key string) (string, bool), unlisted bool) {
	i.Of, i.At = snap, at
	i.Login.Name = nameNow(snap, i.Login, unlisted)
	i.Session = chosen(snap, get, "session_authorization", i.Login)
	i.Current = chosen(snap, get, "role", i.Session)
	i.Superuser = snap.IsSuperuser(i.Current.ID)
}

// nameNow gives the name that a role has now; a user without a role keeps its own.
func nameNow(snap *catalog.Snapshot, w Who, unlisted bool) string {
	if r := snap.RoleByID(w.ID); r != nil && !unlisted {
		return r.Name
	}
	return w.Name
}

// chosen is the role that a parameter holds, as its OID; otherwise where it holds none.
func chosen(snap *catalog.Snapshot, get func(key string) (string, bool), key string, otherwise Who) Who {
	text, ok := get(key)
	if !ok || text == "" {
		return otherwise
	}
	id, _ := strconv.ParseUint(text, 10, 32)
	w := Who{ID: uint32(id), Name: text}
	if r := snap.RoleByID(w.ID); r != nil {
		w.Name = r.Name
	}
	return w
}

// Admit says as whom user connects: as its role or, until there are roles, as the bootstrap role.
// 28000 for one that may not: who has no role has no rights, however it has proved who it is.
func Admit(snap *catalog.Snapshot, role *catalog.Role, user, database string) (Who, error) {
	if role == nil {
		if snap.HasRoles() {
			return Who{}, sqlerr.New(sqlerr.InvalidAuthorizationSpec, `role "%s" does not exist`, user).
				WithHint("Only roles connect once there are any; %q is the bootstrap superuser.", catalog.BootstrapRoleName)
		}
		return Who{catalog.BootstrapRole, user}, nil
	}
	if !role.Login {
		return Who{}, sqlerr.New(sqlerr.InvalidAuthorizationSpec, `role "%s" is not permitted to log in`, role.Name)
	}
	if rights, _ := snap.DatabaseRights(role.ID); rights&acl.Connect == 0 {
		return Who{}, catalog.Denied("database", strconv.Quote(database)).WithDetail("User does not have CONNECT privilege.")
	}
	return Who{role.ID, role.Name}, nil
}
