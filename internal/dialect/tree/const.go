package tree

// ConstKind is the kind of a constant as it was written.
type ConstKind uint8

// The kinds of constants.
const (
	Null    ConstKind = iota + 1
	Bool              // Text is "t" or "f"
	Int               // Text is decimal digits, any length, perhaps after a minus
	Decimal           // Text is exact, may have a minus, a point and an exponent
	String            // Text is the decoded value
	Bits              // Text is 'b' or 'x' and the digits
)

// Const is a constant, exact whatever its length. A minus before a number is part
// of it, as in Postgres's grammar: -2147483648 is an integer, though 2147483648 is
// not. An integer at the top of an item of a query's ORDER BY or GROUP BY is the
// number of an output column.
type Const struct {
	Pos
	Kind ConstKind
	Text string
}

func (*Const) isExpr() {}
