package tree

// CreateExtension is CREATE EXTENSION.
type CreateExtension struct {
	Name        string
	IfNotExists bool
	Pos         int
}

func (*CreateExtension) Tag() string { return "CREATE EXTENSION" }
