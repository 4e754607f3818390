package tree

// Pos is where a node stands: the 1-based character position in the text given
// to dialect.Parse, as Postgres counts and points; 0 is unknown. It is that of
// the operator for operators and ::, of the name for calls, else of the first
// character.
type Pos int32

// Position gives p as errors take it.
func (p Pos) Position() int { return int(p) }

// Expr is an expression. Parentheses leave no trace: the tree is the order of
// evaluation.
type Expr interface {
	Position() int
	isExpr()
}

// ColumnRef names a column: [[Schema.]Table.]Name. Table may also be Phoenix's
// column family.
type ColumnRef struct {
	Pos
	Schema, Table, Name string
}

// Param is $Number.
type Param struct {
	Pos
	Number int
}

// Default is DEFAULT, only in INSERT's rows and SET's values.
type Default struct{ Pos }

// Case is CASE [Operand] WHEN … END; Operand and Else may be nil.
type Case struct {
	Pos
	Operand Expr
	Whens   []When
	Else    Expr
}

// When is one WHEN Cond THEN Result.
type When struct{ Cond, Result Expr }

// Cast converts X to Type.
type Cast struct {
	Pos
	X    Expr
	Type *TypeName
	// Spelling is how it is written: "::", "cast", "const" of type 'text', "n"
	// of N'text', or "implicit" of a conversion that Postgres's grammar adds.
	// Meaning never depends on it.
	Spelling string
}

// Collate is X COLLATE [Schema.]Name.
type Collate struct {
	Pos
	X            Expr
	Schema, Name string
}

func (*ColumnRef) isExpr() {}
func (*Param) isExpr()     {}
func (*Default) isExpr()   {}
func (*Case) isExpr()      {}
func (*Cast) isExpr()      {}
func (*Collate) isExpr()   {}
