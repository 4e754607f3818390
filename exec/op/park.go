package op

import "github.com/saltsql/saltsql/internal/vec"

// A run that stands still between two calls of Next can be parked: its scans end, its
// pages and vectors go, and what stays is the key of the last row. The next call of Next
// scans from there. Runs that hold rows which would have to be read from the start (sorts,
// groups) are not parked; they have booked what they hold.

// parker is an operator that may be parked.
type parker interface {
	// Parks says that the operator can be parked now, with all below it.
	Parks() bool
	// Park is called where parks is true. The batch given last is void.
	Park() error
	// Holds is about how many bytes the operator and those below it hold.
	Holds() int64
}

// Parks says that op can be parked now.
func Parks(op Operator) bool {
	p, ok := op.(parker)
	return ok && p.Parks()
}

// Park parks op, which can be parked.
func Park(op Operator) error { return op.(parker).Park() }

// UnknownHeld is what an operator is taken to hold that does not say: a batch or two.
const UnknownHeld = 64 << 10

// Holds is about how many bytes op and those below it hold.
func Holds(op Operator) int64 {
	if p, ok := op.(parker); ok {
		return p.Holds()
	}
	return UnknownHeld
}

func (c *counted) Parks() bool  { return c.act == nil && Parks(c.in) }
func (c *counted) Park() error  { return Park(c.in) }
func (c *counted) Holds() int64 { return Holds(c.in) }

// SizeOf is what columns hold.
func SizeOf(cols []*vec.Vec) int64 {
	var n int64
	for _, v := range cols {
		if v != nil {
			n += v.Size()
		}
	}
	return n
}
