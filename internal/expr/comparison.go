package expr

// cmpOp is a comparison operator.
type cmpOp uint8

// The comparisons; cmpNone is a function that is none.
const (
	cmpNone cmpOp = iota
	cmpEQ
	cmpNE
	cmpLT
	cmpLE
	cmpGT
	cmpGE
)

// cmpNames are the operators' names.
var cmpNames = map[cmpOp]string{cmpEQ: "=", cmpNE: "<>", cmpLT: "<", cmpLE: "<=", cmpGT: ">", cmpGE: ">="}

// swapped is the operator with its operands the other way round.
func (op cmpOp) swapped() cmpOp {
	switch op {
	case cmpLT:
		return cmpGT
	case cmpLE:
		return cmpGE
	case cmpGT:
		return cmpLT
	case cmpGE:
		return cmpLE
	}
	return op
}

// test tells what op makes of a three-way comparison.
func (op cmpOp) test(c int) bool {
	switch op {
	case cmpEQ:
		return c == 0
	case cmpNE:
		return c != 0
	case cmpLT:
		return c < 0
	case cmpLE:
		return c <= 0
	case cmpGT:
		return c > 0
	}
	return c >= 0
}

// cmpClass is how two values are compared.
type cmpClass uint8

// The classes: of one representation, by types.Compare, and pairs of times.
const (
	clInt cmpClass = iota
	clFloat
	clBytes
	clDatum // by types.Compare of the left type
	clDateTS
	clTSDate
	clDateTSTZ
	clTSTZDate
	clTSTSTZ
	clTSTZTS
)
