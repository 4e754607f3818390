package tree

// Comment is COMMENT ON.
type Comment struct {
	Object string // "table", "column", "schema", "index", "view", …
	Name   Name   // for a column: the table
	Column string // for a column
	// Detail is the rest of the object's name, for objects with more
	// (a function's arguments, a constraint's table).
	Detail string
	Text   string
	IsNull bool
	Pos    int
}

func (*Comment) Tag() string { return "COMMENT" }
