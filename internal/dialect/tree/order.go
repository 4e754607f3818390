package tree

// OrderItem is one item of an ORDER BY.
type OrderItem struct {
	Expr Expr
	Desc bool
	// Nulls is the written choice; NullsDefault is LAST ascending and FIRST
	// descending.
	Nulls Nulls
	// Using is the operator of ORDER BY … USING op, else "".
	Using       string
	UsingSchema string
}

// Nulls is where an order puts NULLs.
type Nulls uint8

// The places of NULLs.
const (
	NullsDefault Nulls = iota
	NullsFirst
	NullsLast
)
