package tree

// Row is ROW(…) or (a, b).
type Row struct {
	Pos
	Fields []Expr
	Named  bool // ROW is written
}

// WholeRow is [Schema.]Table.* inside an expression.
type WholeRow struct {
	Pos
	Schema, Table string
}

// Field is (X).Name.
type Field struct {
	Pos
	X    Expr
	Name string
}

// FieldStar is (X).*: all fields.
type FieldStar struct {
	Pos
	X Expr
}

// Array is ARRAY[…]; a nested bracket list is an Array too.
type Array struct {
	Pos
	Elems []Expr
}

// Subscript is X[Index].
type Subscript struct {
	Pos
	X, Index Expr
	Apart    bool // X is in parentheses: subscripts of its own are not of the same chain
}

// Slice is X[Low:High]; a missing bound is nil.
type Slice struct {
	Pos
	X, Low, High Expr
	Apart        bool // as of Subscript
}

func (*Row) isExpr()       {}
func (*WholeRow) isExpr()  {}
func (*Field) isExpr()     {}
func (*FieldStar) isExpr() {}
func (*Array) isExpr()     {}
func (*Subscript) isExpr() {}
func (*Slice) isExpr()     {}
