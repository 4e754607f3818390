package tree

// CreateEnum is CREATE TYPE … AS ENUM.
type CreateEnum struct {
	Name   Name
	Labels []string
}

// CreateDomain is CREATE DOMAIN.
type CreateDomain struct {
	Name Name
	// Is has the type, and the constraints as they stand behind a column's type.
	Is ColumnDef
}

// AlterUserType is ALTER TYPE, or ALTER DOMAIN of what types have too. One of the fields behind
// Name says what of it.
type AlterUserType struct {
	Name     Name
	Domain   bool
	AddValue *EnumValue
	// RenameValue is the old and the new one.
	RenameValue *[2]string
	NewName     string
	Owner       *RoleSpec
	Schema      string
}

// EnumValue is ADD VALUE.
type EnumValue struct {
	Text         string
	IfNotExists  bool
	Neighbour    string // of BEFORE and AFTER
	HasNeighbour bool
	After        bool
}

// AlterDomain is ALTER DOMAIN. One of the fields behind Name says what of it.
type AlterDomain struct {
	Name        Name
	SetDefault  *SourceExpr
	DropDefault bool
	SetNotNull  bool
	DropNotNull bool
	AddCheck    *Check
	Drop        string // a constraint
	IfExists    bool   // with Drop
	Validate    string // a constraint
	// Rename is a constraint's old name and its new one.
	Rename *[2]string
}

func (*CreateEnum) Tag() string   { return "CREATE TYPE" }
func (*CreateDomain) Tag() string { return "CREATE DOMAIN" }
func (*AlterDomain) Tag() string  { return "ALTER DOMAIN" }

func (a *AlterUserType) Tag() string {
	if a.Domain {
		return "ALTER DOMAIN"
	}
	return "ALTER TYPE"
}
