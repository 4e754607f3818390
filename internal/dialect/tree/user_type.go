package tree

// CreateEnum is CREATE TYPE … AS ENUM.
type CreateEnum struct {
	Name   Name
	Labels []string
}

// AlterUserType is ALTER TYPE. One of the fields behind Name says what of it.
type AlterUserType struct {
	Name     Name
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

func (*CreateEnum) Tag() string    { return "CREATE TYPE" }
func (*AlterUserType) Tag() string { return "ALTER TYPE" }
