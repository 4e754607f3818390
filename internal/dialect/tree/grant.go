package tree

// Grant is GRANT or REVOKE.
type Grant struct {
	Revoke     bool
	Privileges []string // lower case words, "all" for ALL; of roles: their names
	Object     string   // "table", "schema", "all tables in schema", …; "" for roles
	Names      []Name
	Columns    bool // a privilege is limited to columns
	Grantees   []string
	Option     bool // WITH GRANT OPTION, or REVOKE GRANT OPTION FOR
	Cascade    bool
}

func (g *Grant) Tag() string {
	switch {
	case g.Object == "" && g.Revoke:
		return "REVOKE ROLE"
	case g.Object == "":
		return "GRANT ROLE"
	case g.Revoke:
		return "REVOKE"
	}
	return "GRANT"
}
