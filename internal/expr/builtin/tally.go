package builtin

import "github.com/saltsql/saltsql/internal/expr"

// tally counts what a function makes while it is making it.
type tally struct {
	env    *expr.Env
	n, ask int
}

// add counts n bytes more: 53200 where there is no memory for them, 54000 for a text
// over 1 GB, 57014 where the statement has been canceled.
func (t *tally) add(n int) error {
	if t.n += n; t.n < t.ask {
		return nil
	}
	t.ask = t.n + expr.Unbooked
	if err := t.env.Canceled(); err != nil {
		return err
	}
	if t.n > expr.MaxText {
		return expr.TooLarge(t.n-n, n)
	}
	return t.env.Mem.Fits(int64(t.n + t.n/4)) // the buffer grows by a quarter
}
