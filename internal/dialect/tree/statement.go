package tree

import "github.com/saltsql/saltsql/internal/sqlerr"

// Statement is one statement of a text. It is immutable and may be shared
// between goroutines.
type Statement struct {
	// Text is the user's text of this statement, without the semicolon and
	// the space around it.
	Text string
	// Whole is the text given to Parse; empty for a statement in another.
	Whole string
	// Offset is the byte offset of Text in the text given to Parse.
	Offset int
	// Exactly one of DML and Utility is set.
	DML     DML
	Utility Utility
	// Tokens is how many tokens Text has: what the tree takes grows with them.
	Tokens int
	// NumParams is the highest $n.
	NumParams int
	// Side holds what stands beside the grammar.
	Side Side
	// Databases are those that names begin with, as in database.schema.table. Who runs the
	// statement knows which there are.
	Databases []Database
}

// Database is the first part of a name that has one more than a schema goes before.
type Database struct {
	Name string
	Of   string // the whole name, as an error shows it
	Pos  int
}

// DML is a query (*Select, *Values, *SetOp), *Insert, *Update, *Delete or *Merge: what
// the planner makes plans of.
type DML interface{ isDML() }

// Side is what a statement says beside the grammar.
type Side struct {
	// Hints are those of Phoenix's /*+ … */ comments after SELECT, UPSERT or
	// DELETE, subqueries included, in order of appearance.
	Hints []Hint
	// Notices are for the client: identifiers that were truncated.
	Notices []*sqlerr.Error
}

// Hint is one hint of a /*+ … */ comment: NAME or NAME(arg arg).
type Hint struct {
	Name string // upper case
	Args []string
	Pos  int
}

// SourceExpr is an expression inside a DDL or utility statement with its text,
// which is what the catalog keeps: a DEFAULT, a CHECK, a split point, an
// argument of EXECUTE.
type SourceExpr struct {
	Node Expr
	// Text is the user's text of the expression.
	Text string
	// Pos is its 1-based character position in the text given to Parse.
	Pos int
	// NumParams is the highest $n in it.
	NumParams int
}
