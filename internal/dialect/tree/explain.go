package tree

// Explain is EXPLAIN. The old spelling EXPLAIN ANALYZE VERBOSE is turned into
// Options; an option without a value has HasValue false.
type Explain struct {
	Options []Option
	Advise  bool // EXPLAIN ADVISE statement
	Salt    bool // EXPLAIN SALT statement
	Stmt    *Statement
}

func (*Explain) Tag() string { return "EXPLAIN" }
