package tree

// Grant is GRANT or REVOKE of rights.
type Grant struct {
	Revoke     bool
	Privileges []Privilege
	Object     string // "table", "schema", "all tables in schema", …
	Names      []Name
	Grantees   []RoleSpec
	Option     bool // WITH GRANT OPTION, or REVOKE GRANT OPTION FOR
	GrantedBy  *RoleSpec
	Cascade    bool
}

// Privilege is a right in lower case, "all" for ALL, on whole objects or on columns.
type Privilege struct {
	Pos     int
	Name    string
	Columns []string
}

func (g *Grant) Tag() string {
	if g.Revoke {
		return "REVOKE"
	}
	return "GRANT"
}
