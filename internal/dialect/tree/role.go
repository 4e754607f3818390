package tree

// RoleSpec names a role, or the user of the session by a key word.
type RoleSpec struct {
	Pos     int
	Name    string // of a role; empty with Keyword
	Keyword string // "public", "current_user", "current_role", "session_user"
}

// RoleOption is one of the options of CREATE ROLE and ALTER ROLE.
type RoleOption struct {
	Pos   int
	Name  string // "superuser", "inherit", "createrole", "createdb", "login", "replication", "bypassrls",
	Value bool   // of those before
	// "password" (Text, or Null), "valid until" (Text), "connection limit" (Text),
	// "in role", "role", "admin" (Roles), "sysid"
	Text  string
	Null  bool
	Roles []RoleSpec
}

// CreateRole is CREATE ROLE, USER or GROUP: Kind, in lower case.
type CreateRole struct {
	Kind    string
	Role    RoleSpec
	Options []RoleOption
}

// AlterRole is ALTER ROLE, USER or GROUP with options; Add and Drop are those of ALTER GROUP.
type AlterRole struct {
	Role      RoleSpec
	Options   []RoleOption
	Add, Drop []RoleSpec
}

// AlterRoleSet is ALTER ROLE … SET or RESET.
type AlterRoleSet struct {
	All      bool // of all roles
	Role     RoleSpec
	Database string // IN DATABASE
	Set      *Set
	Reset    *Reset
	Pos      int
}

// AlterSystem is ALTER SYSTEM SET or RESET.
type AlterSystem struct {
	Set   *Set
	Reset *Reset
}

// RenameRole is ALTER ROLE … RENAME TO.
type RenameRole struct{ From, To RoleSpec }

// DropRole is DROP ROLE, USER or GROUP.
type DropRole struct {
	Roles    []RoleSpec
	IfExists bool
}

// GrantRole is GRANT or REVOKE of roles.
type GrantRole struct {
	Revoke    bool
	Roles     []RoleSpec
	Grantees  []RoleSpec
	Admin     bool // WITH ADMIN OPTION, or ADMIN OPTION FOR
	GrantedBy *RoleSpec
	Cascade   bool
}

// AlterDefaultPrivileges is ALTER DEFAULT PRIVILEGES; the Object of Grant is "tables",
// "sequences", "functions", "types" or "schemas".
type AlterDefaultPrivileges struct {
	Roles   []RoleSpec
	Schemas []Name
	Grant   *Grant
}

// ReassignOwned is REASSIGN OWNED.
type ReassignOwned struct {
	From []RoleSpec
	To   RoleSpec
}

// DropOwned is DROP OWNED.
type DropOwned struct {
	Roles   []RoleSpec
	Cascade bool
}

func (*CreateRole) Tag() string             { return "CREATE ROLE" }
func (*AlterRole) Tag() string              { return "ALTER ROLE" }
func (*AlterRoleSet) Tag() string           { return "ALTER ROLE" }
func (*AlterSystem) Tag() string            { return "ALTER SYSTEM" }
func (*RenameRole) Tag() string             { return "ALTER ROLE" }
func (*DropRole) Tag() string               { return "DROP ROLE" }
func (*AlterDefaultPrivileges) Tag() string { return "ALTER DEFAULT PRIVILEGES" }
func (*ReassignOwned) Tag() string          { return "REASSIGN OWNED" }
func (*DropOwned) Tag() string              { return "DROP OWNED" }

func (g *GrantRole) Tag() string {
	if g.Revoke {
		return "REVOKE ROLE"
	}
	return "GRANT ROLE"
}
