package expr

// CmpOp is a comparison operator.
type CmpOp uint8

// The comparisons; CmpNone is a function that is none.
const (
	CmpNone CmpOp = iota
	CmpEQ
	CmpNE
	CmpLT
	CmpLE
	CmpGT
	CmpGE
)

// CmpNames are the operators' names.
var CmpNames = map[CmpOp]string{CmpEQ: "=", CmpNE: "<>", CmpLT: "<", CmpLE: "<=", CmpGT: ">", CmpGE: ">="}

// Swapped is the operator with its operands the other way round.
func (op CmpOp) Swapped() CmpOp {
	switch op {
	case CmpLT:
		return CmpGT
	case CmpLE:
		return CmpGE
	case CmpGT:
		return CmpLT
	case CmpGE:
		return CmpLE
	}
	return op
}

// Test tells what op makes of a three-way comparison.
func (op CmpOp) Test(c int) bool {
	switch op {
	case CmpEQ:
		return c == 0
	case CmpNE:
		return c != 0
	case CmpLT:
		return c < 0
	case CmpLE:
		return c <= 0
	case CmpGT:
		return c > 0
	}
	return c >= 0
}

// CmpClass is how two values are compared.
type CmpClass uint8

// The classes: of one representation, by types.Compare, and pairs of times.
const (
	ClassInt CmpClass = iota
	ClassFloat
	ClassBytes
	ClassDatum // by types.Compare of the left type
	ClassDateTS
	ClassTSDate
	ClassDateTSTZ
	ClassTSTZDate
	ClassTSTSTZ
	ClassTSTZTS
)
