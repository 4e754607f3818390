package expr

import (
	"context"
	"errors"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/vec"
)

// MaxText is the longest text a function may make: Postgres's limit of 1 GB.
//
//saltsql:limit types: bytes of a text or bytea that a function makes (54000)
const MaxText = 1<<30 - 1

// Unbooked is how many bytes of results may wait until they are booked, or until it is
// looked whether the statement has been canceled.
const Unbooked = 64 << 10

// TooLong refuses a text of a length that was asked for: 54000.
func TooLong() error {
	return sqlerr.New(sqlerr.ProgramLimitExceeded, "requested length too large")
}

// TooLarge refuses a text that grew over 1 GB: 54000.
func TooLarge(have, more int) error {
	return sqlerr.New(sqlerr.ProgramLimitExceeded, "out of memory").
		WithDetail("Cannot enlarge string buffer containing %d bytes by %d more bytes.", have, more)
}

// ErrWide says that values of a batch take more than their vector's Most: it is to be
// made of fewer rows.
var ErrWide = errors.New("expr: the values take too many bytes")

// Fits says whether a value of n bytes can be made: 54000 where none may be that long,
// 53200 where the statement has no memory for it.
func (e *Env) Fits(n int) error {
	if n > MaxText {
		return TooLong()
	}
	if n > Unbooked {
		return e.Mem.Fits(int64(n))
	}
	return nil
}

// Book books what a vector has taken, the last value being n bytes long.
func (e *Env) Book(v *vec.Vec, n int) error {
	if n > MaxText {
		return TooLarge(0, n)
	}
	own := v.Own()
	if own < Unbooked {
		return nil
	}
	if err := e.Canceled(); err != nil {
		return err
	}
	if v.Most > 0 && own > v.Most {
		return ErrWide
	}
	return v.Share.MustToOf(e.Mem, own)
}

// wideNumeric is how many bytes of digits a numeric may have without being booked.
const wideNumeric = 128

// BookNumeric books the digits of slot i, where they are many.
func (e *Env) BookNumeric(v *vec.Vec, i uint16) error {
	n := v.Decimals[i].Coeff.BitLen() / 8
	if n <= wideNumeric {
		return nil
	}
	v.Hold(int64(n))
	return e.Book(v, n)
}

// Canceled is for functions that may take long.
func (e *Env) Canceled() error {
	if e.Ctx == nil || e.Ctx.Err() == nil {
		return nil
	}
	return context.Cause(e.Ctx)
}
