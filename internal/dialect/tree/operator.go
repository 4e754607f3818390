package tree

// Op is an infix or prefix operator: Left is nil for a prefix one. The
// arithmetic and comparison operators are among them, by Postgres's names ("="
// and "<>", "+", "||").
//
// LIKE is ~~, NOT LIKE !~~, ILIKE ~~*, NOT ILIKE !~~*; SIMILAR TO is "similar
// to" or "not similar to".
type Op struct {
	Pos
	Schema, Name string // Schema of OPERATOR(schema.op)
	Left, Right  Expr
	Escape       Expr // of LIKE … ESCAPE; else nil
	// Spelling is "like", "not ilike" and so on where it is not Name; "".
	Spelling string
}

// And is a chain of ANDs, from the left; Pos is that of the last AND. A chain in
// parentheses at its left end is part of it.
type And struct {
	Pos
	Args []Expr // at least two
}

// Or is a chain of ORs, as And.
type Or struct {
	Pos
	Args []Expr
}

// Not is NOT X.
type Not struct {
	Pos
	X Expr
}

// Distinct is Left IS [NOT] DISTINCT FROM Right.
type Distinct struct {
	Pos
	Left, Right Expr
	Not         bool
}

// NullTest is X IS [NOT] NULL.
type NullTest struct {
	Pos
	X   Expr
	Not bool
}

// BoolTest is X IS [NOT] TRUE, FALSE or UNKNOWN.
type BoolTest struct {
	Pos
	X    Expr
	Test string // "true", "false" or "unknown"
	Not  bool
}

// IsDocument is X IS [NOT] DOCUMENT.
type IsDocument struct {
	Pos
	X   Expr
	Not bool
}

// Between is X [NOT] BETWEEN [SYMMETRIC] Low AND High.
type Between struct {
	Pos
	X, Low, High   Expr
	Not, Symmetric bool
}

// In is X [NOT] IN (List), or IN (Query): one of the two is set.
type In struct {
	Pos
	X     Expr
	List  []Expr
	Query *Subquery
	Not   bool
}

// AnyAll compares Left by an operator, as in Op, with each element of the array
// Right, or each row where Right is a *Subquery.
type AnyAll struct {
	Pos
	All          bool
	Schema, Name string
	Left, Right  Expr
}

func (*Op) isExpr()         {}
func (*And) isExpr()        {}
func (*Or) isExpr()         {}
func (*Not) isExpr()        {}
func (*Distinct) isExpr()   {}
func (*NullTest) isExpr()   {}
func (*BoolTest) isExpr()   {}
func (*IsDocument) isExpr() {}
func (*Between) isExpr()    {}
func (*In) isExpr()         {}
func (*AnyAll) isExpr()     {}
