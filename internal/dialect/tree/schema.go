package tree

// CreateSchema is CREATE SCHEMA.
type CreateSchema struct {
	Name        string
	IfNotExists bool
	Owner       *RoleSpec // AUTHORIZATION
	// Elements are the CREATE statements inside it.
	Elements []*Statement
	Pos      int
}

// AlterSchema is ALTER SCHEMA … RENAME TO or OWNER TO.
type AlterSchema struct {
	Name    string
	NewName string
	Owner   *RoleSpec
	Pos     int
}

// UseSchema is Phoenix's USE schema.
type UseSchema struct{ Name string }

func (*UseSchema) Tag() string    { return "USE" }
func (*CreateSchema) Tag() string { return "CREATE SCHEMA" }
func (*AlterSchema) Tag() string  { return "ALTER SCHEMA" }
