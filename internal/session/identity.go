package session

import (
	"context"
	"slices"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/identity"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// admit finds the role of who connects: 28000 if it may not, 53300 if it has too many
// connections. Until there are roles, everybody is let in as a superuser.
func (db *DB) admit(opts *SessionOptions) (identity.Who, *catalog.Role, error) {
	snap := db.catalog.Snapshot()
	role := snap.Role(opts.User)
	if role == nil && db.shared && snap.HasRoles() {
		if now, err := db.catalog.RefreshSince(context.Background(), time.Now()); err == nil {
			snap, role = now, now.Role(opts.User)
		}
	}
	login, err := identity.Admit(snap, role, opts.User, opts.Database)
	return login, role, err
}

// limited says that a role, which may be nil, may have a number of connections.
func limited(role *catalog.Role) bool {
	return role != nil && role.ConnLimit >= 0 && !role.Superuser
}

// connections counts those to this server, of roles that may have a number of them.
func (db *DB) connections() map[uint32]int {
	snap := db.catalog.Snapshot()
	n := map[uint32]int{}
	db.mu.Lock()
	defer db.mu.Unlock()
	for s := range db.sessions {
		if id := s.who.Login.ID; limited(snap.RoleByID(id)) {
			n[id]++
		}
	}
	return n
}

// admission bounds how long a connection waits to be counted by the store.
const admission = 5 * time.Second

// withinLimit ends a session that is registered where its role has more of them, on all servers,
// than it may: 53300.
func (s *Session) withinLimit(role *catalog.Role) error {
	if !limited(role) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), admission)
	defer cancel()
	n, err := s.db.catalog.Connections(ctx, role.ID)
	if err == nil && n <= role.ConnLimit {
		return nil
	}
	s.Close()
	if err == nil {
		err = sqlerr.New(sqlerr.TooManyConnections, `too many connections for role "%s"`, role.Name)
		_, _ = s.db.catalog.TellConnections(ctx) // or the next look for changes does
	}
	return err
}

// endBarred ends the sessions of roles that may not log in any more, by the catalog of now. A
// user that no role is named after has none to lose.
func (db *DB) endBarred() {
	snap := db.catalog.Snapshot()
	barred := map[*Session]*sqlerr.Error{}
	db.mu.Lock()
	for s := range db.sessions {
		if err := s.barred(snap); err != nil {
			barred[s] = err
		}
	}
	db.mu.Unlock()
	for s, err := range barred {
		s.endFor(err)
	}
}

// barred says why the session's user may not log in by a catalog; nil where it may.
func (s *Session) barred(snap *catalog.Snapshot) *sqlerr.Error {
	if s.unlisted {
		return nil
	}
	switch role := snap.RoleByID(s.who.Login.ID); {
	case role == nil:
		return sqlerr.New(sqlerr.InvalidAuthorizationSpec, "terminating connection because its role was dropped")
	case !role.Login:
		return sqlerr.New(sqlerr.InvalidAuthorizationSpec, `terminating connection because role "%s" is not permitted to log in`, role.Name)
	}
	return nil
}

// identity gives whom the session acts for now.
func (s *Session) identity() *identity.Identity {
	i := &s.who
	if snap := s.snapshot(); i.Of != snap || i.At != s.generation {
		i.Find(snap, s.generation, s.values.Get, s.unlisted)
	}
	return i
}

// setRole is SET ROLE and SET SESSION AUTHORIZATION: 22023 for no role, 42501 for one that the
// user may not become.
func (s *Session) setRole(key, value string, local bool) error {
	i := s.identity()
	kept, err := i.Become(key, value)
	if err != nil {
		return err
	}
	if err := s.assign(key, kept, local); err != nil {
		return err
	}
	if key == "session_authorization" {
		if err := s.assign("role", "", local); err != nil {
			return err
		}
	}
	s.applySettings()
	s.reportIdentity(i.Session.Name, i.Superuser)
	return nil
}

// reportIdentity tells the client of what has changed of who it is.
func (s *Session) reportIdentity(session string, superuser bool) {
	i := s.identity()
	if s.opts.ParameterStatus == nil {
		return
	}
	if i.Session.Name != session {
		s.opts.ParameterStatus("session_authorization", i.Session.Name)
	}
	if i.Superuser != superuser {
		s.opts.ParameterStatus("is_superuser", onOff(i.Superuser))
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
		return i.Session.Name, true
	case "is_superuser":
		return onOff(i.Superuser), true
	case "role":
		if v, ok := s.values.Get(key); !ok || v == "" {
			return "none", true
		}
		return i.Current.Name, true
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
