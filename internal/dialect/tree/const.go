package tree

// ConstKind is the kind of a constant as it was written.
type ConstKind uint8

// The kinds of constants.
const (
	Null    ConstKind = iota + 1
	Bool              // Text is "t" or "f"
	Int               // Text is decimal digits, any length
	Decimal           // Text is exact, may have a point and an exponent, no sign
	String            // Text is the decoded value
	Bits              // Text is 'b' or 'x' and the digits
)

// Const is a constant, exact whatever its length. An integer at the top of an
// item of a query's ORDER BY or GROUP BY is the number of an output column. A
// minus before it is an operator.
type Const struct {
	Pos
	Kind ConstKind
	Text string
}

func (*Const) isExpr() {}
