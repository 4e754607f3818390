package catalog

import (
	"cmp"
	"slices"

	"github.com/saltsql/saltsql/catalog/acl"
)

// Role is one version of a role's descriptor: a user, or a group of them.
type Role struct {
	ID      uint32
	Name    string
	Comment string
	RoleAttributes
	// Verifier is the password's, SCRAM-SHA-256$…; empty is no password.
	Verifier string
	// ValidUntil, in µs since the Unix epoch, ends the password; nil does not.
	ValidUntil *int64
	// ConnLimit is how many connections the role may have to all servers of a store; -1 is any number.
	ConnLimit int
	MemberOf  []Membership
	// Settings are what its sessions begin with.
	Settings []RoleSetting
	// Defaults are the rights on objects that it makes.
	Defaults []DefaultRights
}

// RoleAttributes are what a role may do beside its rights on objects.
type RoleAttributes struct {
	Superuser, Inherit, CreateRole, CreateDB, Login, Replication, BypassRLS bool
}

// Membership says that a role is in another one.
type Membership struct {
	Role    uint32 `json:"role"`
	Grantor uint32 `json:"grantor"`
	Admin   bool   `json:"admin,omitempty"`
}

// RoleSetting is a run-time parameter of ALTER ROLE … SET.
type RoleSetting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// DefaultRights is what ALTER DEFAULT PRIVILEGES says of new objects of a kind, in one
// schema or, where that is 0, in all: these are added to the others.
type DefaultRights struct {
	Schema uint32
	Kind   acl.Kind
	List   *acl.List
}

// BootstrapRole is the superuser that every store has; what was made before there were
// roles is its.
const (
	BootstrapRole     uint32 = 10
	BootstrapRoleName        = "saltsql"
)

// Roles that every server has, by the OIDs of PostgreSQL.
const (
	RoleDatabaseOwner uint32 = 6171
	RoleReadAllData   uint32 = 6181
	RoleWriteAllData  uint32 = 6182
	RoleMonitor       uint32 = 3373
	RoleReadSettings  uint32 = 3374
	RoleReadStats     uint32 = 3375
	RoleScanTables    uint32 = 3377
	RoleSignalBackend uint32 = 4200
)

func predefined(id uint32, name string, in ...uint32) *Role {
	r := &Role{ID: id, Name: name, ConnLimit: -1, RoleAttributes: RoleAttributes{Inherit: true}}
	for _, g := range in {
		r.MemberOf = append(r.MemberOf, Membership{Role: g, Grantor: BootstrapRole})
	}
	return r
}

var PredefinedRoles = []*Role{
	predefined(RoleDatabaseOwner, "pg_database_owner"),
	predefined(RoleReadAllData, "pg_read_all_data"),
	predefined(RoleWriteAllData, "pg_write_all_data"),
	predefined(RoleMonitor, "pg_monitor", RoleReadSettings, RoleReadStats, RoleScanTables),
	predefined(RoleReadSettings, "pg_read_all_settings"),
	predefined(RoleReadStats, "pg_read_all_stats"),
	predefined(RoleScanTables, "pg_stat_scan_tables"),
	predefined(4569, "pg_read_server_files"),
	predefined(4570, "pg_write_server_files"),
	predefined(4571, "pg_execute_server_program"),
	predefined(RoleSignalBackend, "pg_signal_backend"),
	predefined(4544, "pg_checkpoint"),
}

// bootstrapRole is the one of a store that has not said anything of it.
var bootstrapRole = &Role{ID: BootstrapRole, Name: BootstrapRoleName, ConnLimit: -1,
	RoleAttributes: RoleAttributes{Superuser: true, Inherit: true, CreateRole: true, CreateDB: true, Login: true, Replication: true, BypassRLS: true}}

// roleSet is the roles of a snapshot.
type roleSet struct {
	byID   map[uint32]*Role
	byName map[string]*Role
	made   bool // some beside those that every store has
}

func newRoleSet() roleSet {
	s := roleSet{byID: map[uint32]*Role{}, byName: map[string]*Role{}}
	for _, r := range PredefinedRoles {
		s.byID[r.ID], s.byName[r.Name] = r, r
	}
	s.add(bootstrapRole)
	s.made = false
	return s
}

func (s *roleSet) add(r *Role) {
	if old := s.byID[r.ID]; old != nil {
		delete(s.byName, old.Name)
	}
	s.byID[r.ID], s.byName[r.Name] = r, r
	s.made = s.made || r.ID != BootstrapRole
}

// Roles lists the roles by name, those that every server has among them.
func (s *Snapshot) Roles() []*Role {
	list := make([]*Role, 0, len(s.roles.byID))
	for _, r := range s.roles.byID {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b *Role) int { return cmp.Compare(a.Name, b.Name) })
	return list
}

// HasRoles says that roles have been made, though they may be gone: until then every user is a
// superuser.
func (s *Snapshot) HasRoles() bool { return s.roles.made || s.Root.Roles }

// Role finds a role by its name; nil if there is none.
func (s *Snapshot) Role(name string) *Role { return s.roles.byName[name] }

// RoleByID finds a role; nil if there is none.
func (s *Snapshot) RoleByID(id uint32) *Role { return s.roles.byID[id] }

// IsSuperuser says whether a role may do everything.
func (s *Snapshot) IsSuperuser(role uint32) bool {
	r := s.roles.byID[role]
	return r != nil && r.Superuser
}

// Reach lists the roles that a role is in, itself first; with inherited those whose
// rights it has.
func (s *Snapshot) Reach(role uint32, inherited bool) []uint32 {
	list := []uint32{role}
	for i := 0; i < len(list); i++ {
		r := s.roles.byID[list[i]]
		if r == nil || inherited && !r.Inherit {
			continue
		}
		for _, m := range r.MemberOf {
			if !slices.Contains(list, m.Role) {
				list = append(list, m.Role)
			}
		}
		if r.ID == BootstrapRole && !slices.Contains(list, RoleDatabaseOwner) {
			list = append(list, RoleDatabaseOwner) // which has the database's owner as its member
		}
	}
	return list
}

// HasPrivsOf says whether member has the rights of role.
func (s *Snapshot) HasPrivsOf(member, role uint32) bool {
	return member == role || s.IsSuperuser(member) || slices.Contains(s.Reach(member, true), role)
}

// IsMember says whether member is in role, and so may become it.
func (s *Snapshot) IsMember(member, role uint32) bool {
	return member == role || s.IsSuperuser(member) || slices.Contains(s.Reach(member, false), role)
}

// IsAdmin says whether member may let others into role.
func (s *Snapshot) IsAdmin(member, role uint32) bool {
	if s.IsSuperuser(member) {
		return true
	}
	for _, id := range s.Reach(member, false) {
		if r := s.roles.byID[id]; r != nil && slices.ContainsFunc(r.MemberOf, func(m Membership) bool { return m.Role == role && m.Admin }) {
			return true
		}
	}
	return false
}

// MayCreateRoles is CREATEROLE, which superusers have.
func (s *Snapshot) MayCreateRoles(role uint32) bool {
	r := s.roles.byID[role]
	return r != nil && (r.Superuser || r.CreateRole)
}

// WithRole is a copy of the snapshot that has r, in the place of the role with its ID.
func (s *Snapshot) WithRole(r *Role) *Snapshot {
	cp := *s
	cp.roles = newRoleSet()
	for id, old := range s.roles.byID {
		cp.roles.byID[id], cp.roles.byName[old.Name] = old, old
	}
	cp.roles.made = s.roles.made
	cp.roles.add(r)
	return &cp
}
