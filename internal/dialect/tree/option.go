package tree

// Option is a table, index or statement option in either spelling: Phoenix's
// `NAME = value` after the parenthesis or Postgres's WITH (name = value).
type Option struct {
	// Name is lower case; Namespace is the part before a dot ("toast" or a
	// column family).
	Namespace string
	Name      string
	// Value is the text of the value: a string's content, a number or a word
	// as written. HasValue is false for a bare name.
	Value    string
	HasValue bool
	// List is set for NAME = (a, b).
	List []string
	// Quoted tells that Value was a string constant.
	Quoted bool
	Pos    int
}
