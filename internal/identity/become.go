package identity

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Become gives what SET ROLE, where key is role, and SET SESSION AUTHORIZATION keep of a value:
// the role's OID, or nothing where the user is back at who it was. 22023 for no role, 42501 for
// one that the user may not become.
func (i *Identity) Become(key, value string) (kept string, err error) {
	own := i.Session
	if key == "session_authorization" {
		own = i.Login
	}
	r := i.Of.Role(value)
	switch {
	case key == "role" && (value == "none" || value == ""):
		return "", nil
	case value == own.Name && (r == nil || r.ID == own.ID):
		if key != "role" || r == nil {
			return "", nil
		}
	case r == nil:
		return "", sqlerr.New(sqlerr.InvalidParameterValue, `role "%s" does not exist`, value)
	case key == "role" && !i.Of.IsMember(i.Session.ID, r.ID):
		return "", sqlerr.New(sqlerr.InsufficientPrivilege, `permission denied to set role "%s"`, value)
	case key == "session_authorization" && !i.Of.IsSuperuser(i.Login.ID):
		return "", sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to set session authorization")
	}
	return strconv.FormatUint(uint64(r.ID), 10), nil
}
