package tree

// Subquery is (query) as a value: of one row and column, or what IN, ANY and ALL
// compare with.
type Subquery struct {
	Pos
	Query Query
}

// Exists is EXISTS (query).
type Exists struct {
	Pos
	Query Query
}

// ArrayQuery is ARRAY(query).
type ArrayQuery struct {
	Pos
	Query Query
}

func (*Subquery) isExpr()   {}
func (*Exists) isExpr()     {}
func (*ArrayQuery) isExpr() {}
