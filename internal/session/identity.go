package session

import (
	"context"
	"slices"
	"strconv"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// identity is whom a session acts for: who connected, whom SET SESSION AUTHORIZATION has
// made of them, and whom SET ROLE. A user that no role is named after has the rights of the
// bootstrap role under a name of its own: see admit.
type identity struct {
	login, session, current who
	superuser               bool // current is

	at uint64            // the generation of the settings it was found under
	of *catalog.Snapshot // and the catalog
}

// who is a role and the name that it goes by.
type who struct {
	id   uint32
	name string
}

// admit finds the role of who connects: 28000 if it may not, 53300 if it has too many
// connections. Until there are roles, everybody is let in as a superuser; from then on an
// unknown name is, where opts.Unlisted says that it was proved in another way.
func (db *DB) admit(opts *SessionOptions) (who, *catalog.Role, error) {
	snap := db.catalog.Snapshot()
	role := snap.Role(opts.User)
	if role == nil && db.shared && snap.HasRoles() {
		if now, err := db.catalog.RefreshSince(context.Background(), time.Now()); err == nil {
			snap, role = now, now.Role(opts.User)
		}
	}
	if role == nil {
		if snap.HasRoles() && !opts.Unlisted {
			return who{}, nil, sqlerr.New(sqlerr.InvalidAuthorizationSpec, `role "%s" does not exist`, opts.User)
		}
		return who{catalog.BootstrapRole, opts.User}, nil, nil
	}
	if !role.Login {
		return who{}, nil, sqlerr.New(sqlerr.InvalidAuthorizationSpec, `role "%s" is not permitted to log in`, role.Name)
	}
	if rights, _ := snap.DatabaseRights(role.ID); rights&aclConnect == 0 {
		return who{}, nil, catalog.Denied("database", strconv.Quote(opts.Database)).WithDetail("User does not have CONNECT privilege.")
	}
	return who{role.ID, role.Name}, role, nil
}

// tooMany says that a role has as many sessions as it may. db.mu is held.
func (db *DB) tooMany(role *catalog.Role) error {
	if role == nil || role.ConnLimit < 0 || role.Superuser {
		return nil
	}
	n := 0
	for s := range db.sessions {
		if s.who.login.id == role.ID {
			n++
		}
	}
	if n >= role.ConnLimit {
		return sqlerr.New(sqlerr.TooManyConnections, `too many connections for role "%s"`, role.Name)
	}
	return nil
}

// identity gives whom the session acts for now.
func (s *Session) identity() *identity {
	i := &s.who
	snap := s.snapshot()
	if i.of == snap && i.at == s.generation {
		return i
	}
	i.of, i.at = snap, s.generation
	i.login.name = s.nameNow(snap, i.login)
	i.session = s.chosen(snap, "session_authorization", i.login)
	i.current = s.chosen(snap, "role", i.session)
	i.superuser = snap.IsSuperuser(i.current.id)
	return i
}

// nameNow gives the name that a role has now; a user without a role keeps its own.
func (s *Session) nameNow(snap *catalog.Snapshot, w who) string {
	if r := snap.RoleByID(w.id); r != nil && !s.unlisted {
		return r.Name
	}
	return w.name
}

// chosen is the role that a parameter holds, as its OID; otherwise where it holds none.
func (s *Session) chosen(snap *catalog.Snapshot, key string, otherwise who) who {
	text, ok := s.values.Get(key)
	if !ok || text == "" {
		return otherwise
	}
	id, _ := strconv.ParseUint(text, 10, 32)
	w := who{id: uint32(id), name: text}
	if r := snap.RoleByID(w.id); r != nil {
		w.name = r.Name
	}
	return w
}

// setRole is SET ROLE and SET SESSION AUTHORIZATION: 22023 for no role, 42501 for one that the
// user may not become.
func (s *Session) setRole(key, value string, local bool) error {
	snap := s.snapshot()
	i := s.identity()
	own := i.session
	if key == "session_authorization" {
		own = i.login
	}
	switch r := snap.Role(value); {
	case key == "role" && (value == "none" || value == ""):
		s.assign(key, "", local)
	case value == own.name && (r == nil || r.ID == own.id):
		s.assign(key, "", local)
		if key == "role" && r != nil {
			s.assign(key, strconv.FormatUint(uint64(r.ID), 10), local)
		}
	case r == nil:
		return sqlerr.New(sqlerr.InvalidParameterValue, `role "%s" does not exist`, value)
	case key == "role" && !snap.IsMember(i.session.id, r.ID):
		return sqlerr.New(sqlerr.InsufficientPrivilege, `permission denied to set role "%s"`, value)
	case key == "session_authorization" && !snap.IsSuperuser(i.login.id):
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to set session authorization")
	default:
		s.assign(key, strconv.FormatUint(uint64(r.ID), 10), local)
	}
	if key == "session_authorization" {
		s.assign("role", "", local)
	}
	s.applySettings()
	s.reportIdentity(i.session.name, i.superuser)
	return nil
}

// reportIdentity tells the client of what has changed of who it is.
func (s *Session) reportIdentity(session string, superuser bool) {
	i := s.identity()
	if s.opts.ParameterStatus == nil {
		return
	}
	if i.session.name != session {
		s.opts.ParameterStatus("session_authorization", i.session.name)
	}
	if i.superuser != superuser {
		s.opts.ParameterStatus("is_superuser", onOff(i.superuser))
	}
}

func valueOf(m settings.Mark, key string) string {
	v, _ := m.Get(key)
	return v
}

// identitySetting gives the parameters that tell who the session is.
func (s *Session) identitySetting(key string) (string, bool) {
	i := s.identity()
	switch key {
	case "session_authorization":
		return i.session.name, true
	case "is_superuser":
		return onOff(i.superuser), true
	case "role":
		if v, ok := s.values.Get(key); !ok || v == "" {
			return "none", true
		}
		return i.current.name, true
	}
	return "", false
}

// RolePassword gives the verifier of a role's password; ok is false where the role is none, or
// has no password, or one that is no longer valid.
func (db *DB) RolePassword(name string) (verifier string, ok bool) {
	r := db.catalog.Snapshot().Role(name)
	if r == nil || r.Verifier == "" || r.ValidUntil != nil && *r.ValidUntil < db.opts.Now().UnixMicro() {
		return "", false
	}
	return r.Verifier, true
}

// RoleMember says whether a role is in another, by their names.
func (db *DB) RoleMember(name, in string) bool {
	snap := db.catalog.Snapshot()
	r, group := snap.Role(name), snap.Role(in)
	return r != nil && group != nil && (r == group || slices.Contains(snap.Reach(r.ID, false), group.ID))
}
