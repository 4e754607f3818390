package eval

import "github.com/saltsql/saltsql/internal/expr"

// Tally counts what a function makes while it is making it.
type Tally struct {
	Env *expr.Env
	N   int // bytes that are made
	ask int
}

// Add counts n bytes more: 53200 where there is no memory for them, 54000 for a text
// over 1 GB, 57014 where the statement has been canceled.
func (t *Tally) Add(n int) error {
	if t.N += n; t.N < t.ask {
		return nil
	}
	t.ask = t.N + expr.Unbooked
	if err := t.Env.Canceled(); err != nil {
		return err
	}
	if t.N > expr.MaxText {
		return expr.TooLarge(t.N-n, n)
	}
	return t.Env.Mem.Fits(int64(t.N + t.N/4)) // the buffer grows by a quarter
}
