package wire

import (
	"errors"
	"testing"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// TestLongRowsAreBooked: what the buffer takes for long values is asked for before they
// are appended, and given back when it is empty.
func TestLongRowsAreBooked(t *testing.T) {
	long := make([]byte, 1<<20)
	elems := make([]types.Datum, 1000)
	for i := range elems {
		elems[i] = types.NewBytes(long[:1000])
	}
	for _, ty := range []types.T{types.Of(types.Text), types.Of(types.Bytea), types.Of(types.JSONB), types.ArrayOf(types.Of(types.Text))} {
		for _, f := range []formats{nil, {0, 1}} {
			b := vec.NewBatch([]types.T{ty, ty})
			b.N = 1
			for _, v := range b.Cols {
				v.Resize(1)
				if ty.Kind == types.Array {
					v.Set(0, types.NewArray(types.Of(types.Text), elems))
				} else {
					v.Set(0, types.NewBytes(long))
				}
			}
			var enc encoder
			enc.init([]session.Column{{Type: ty}, {Type: ty}}, f, nil)
			var booked, most int64
			enc.reserve = func(n int64) error { booked, most = n, max(most, n); return nil }
			row, err := enc.appendRow(nil, b, 0)
			if err != nil || most < int64(len(row)) {
				t.Errorf("%s %v: %d bytes booked of a row of %d: %v", ty, f, most, len(row), err)
			}
			if enc.sent(); booked != 0 {
				t.Errorf("%s: %d bytes stay booked", ty, booked)
			}
			full := errors.New("full")
			enc.reserve = func(n int64) error {
				if n > 3<<20 {
					return full
				}
				return nil
			}
			if row, err := enc.appendRow([]byte("before"), b, 0); err != full || string(row) != "before" {
				t.Errorf("%s %v: %v, %d bytes stay", ty, f, err, len(row))
			}
		}
	}
}
