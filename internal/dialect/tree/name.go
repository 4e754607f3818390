package tree

// Name is a name that may be qualified. Parts beyond a schema (a database) are
// refused by the parser.
type Name struct {
	Schema string
	Name   string
	Pos    int
}
