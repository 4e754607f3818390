package builtin

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Parts of strings: trim, substring, position, overlay, bytea access.

func init() {
	for name, sides := range map[string][2]bool{"btrim": {true, true}, "ltrim": {true, false}, "rtrim": {false, true}} {
		l, r := sides[0], sides[1]
		expr.RegisterFuncs(
			fn(name, ts(tText), tText, shareKernel1(func(s []byte) []byte { return trimSet(s, []byte{' '}, l, r) })),
			fn(name, ts(tText, tText), tText, shareKernel2(func(s, set []byte) []byte { return trimSet(s, set, l, r) })),
			fn(name, ts(tBytea, tBytea), tBytea, shareKernel2(func(s, set []byte) []byte { return trimBytes(s, set, l, r) })),
		)
	}
	from := func(s []byte, start int64) ([]byte, error) { return substr(s, start, 0, false) }
	forN := func(s []byte, start, n int64) ([]byte, error) { return substr(s, start, n, true) }
	byteFrom := func(s []byte, start int64) ([]byte, error) { return subbytes(s, start, 0, false) }
	byteFor := func(s []byte, start, n int64) ([]byte, error) { return subbytes(s, start, n, true) }
	for _, name := range []string{"substring", "substr"} {
		expr.RegisterFuncs(
			fn(name, ts(tText, tInt4), tText, k2e(from)),
			fn(name, ts(tText, tInt4, tInt4), tText, k3e(forN)),
			fn(name, ts(tBytea, tInt4), tBytea, k2e(byteFrom)),
			fn(name, ts(tBytea, tInt4, tInt4), tBytea, k3e(byteFor)),
		)
	}
	expr.RegisterFuncs(
		fn("position", ts(tText, tText), tInt4, k2(position)),
		fn("position", ts(tBytea, tBytea), tInt4, k2(func(s, sub []byte) int64 { return int64(bytes.Index(s, sub)) + 1 })),
		fn("strpos", ts(tText, tText), tInt4, k2(position)),
		fn("overlay", ts(tText, tText, tInt4), tText, datumKernel(overlay)),
		fn("overlay", ts(tText, tText, tInt4, tInt4), tText, datumKernel(overlay)),
		fn("overlay", ts(tBytea, tBytea, tInt4), tBytea, datumKernel(overlay)),
		fn("overlay", ts(tBytea, tBytea, tInt4, tInt4), tBytea, datumKernel(overlay)),
		fn("get_byte", ts(tBytea, tInt4), tInt4, k2e(func(s []byte, i int64) (int64, error) {
			if i < 0 || i >= int64(len(s)) {
				return 0, indexOutOfRange(i, len(s))
			}
			return int64(s[i]), nil
		})),
		fn("set_byte", ts(tBytea, tInt4, tInt4), tBytea, k3e(func(s []byte, i, v int64) ([]byte, error) {
			if i < 0 || i >= int64(len(s)) {
				return nil, indexOutOfRange(i, len(s))
			}
			c := bytes.Clone(s)
			c[i] = byte(v)
			return c, nil
		})),
	)
}

func indexOutOfRange(i int64, n int) error {
	return sqlerr.New(sqlerr.ArraySubscriptError, "index %d out of valid range, 0..%d", i, n-1)
}

// shareKernel1 is for functions whose result is a part of their argument.
func shareKernel1(f func([]byte) []byte) expr.Kernel { return k1(f) }

func shareKernel2(f func(a, b []byte) []byte) expr.Kernel { return k2(f) }

func trimSet(s, set []byte, left, right bool) []byte {
	for left && len(s) > 0 {
		_, n := utf8.DecodeRune(s)
		if !bytes.Contains(set, s[:n]) {
			break
		}
		s = s[n:]
	}
	for right && len(s) > 0 {
		_, n := utf8.DecodeLastRune(s)
		if !bytes.Contains(set, s[len(s)-n:]) {
			break
		}
		s = s[:len(s)-n]
	}
	return s
}

func trimBytes(s, set []byte, left, right bool) []byte {
	for left && len(s) > 0 && bytes.IndexByte(set, s[0]) >= 0 {
		s = s[1:]
	}
	for right && len(s) > 0 && bytes.IndexByte(set, s[len(s)-1]) >= 0 {
		s = s[:len(s)-1]
	}
	return s
}

// window gives the 0-based half-open range that substring(start for n) means:
// positions before 1 count, but hold nothing.
func window(start, n int64, bounded bool) (lo, hi int64, err error) {
	hi = math.MaxInt64
	if bounded {
		if n < 0 {
			return 0, 0, sqlerr.New(sqlerr.SubstringError, "negative substring length not allowed")
		}
		hi = max(0, start-1+n)
	}
	return max(0, start-1), hi, nil
}

func substr(s []byte, start, n int64, bounded bool) ([]byte, error) {
	lo, hi, err := window(start, n, bounded)
	if err != nil {
		return nil, err
	}
	i := runeOffset(s, lo)
	if hi == math.MaxInt64 {
		return s[i:], nil
	}
	if hi <= lo {
		return s[i:i], nil
	}
	return s[i : i+runeOffset(s[i:], hi-lo)], nil
}

func subbytes(s []byte, start, n int64, bounded bool) ([]byte, error) {
	lo, hi, err := window(start, n, bounded)
	if err != nil {
		return nil, err
	}
	hi = min(hi, int64(len(s)))
	lo = min(lo, hi)
	return s[lo:hi], nil
}

func position(s, sub []byte) int64 {
	i := bytes.Index(s, sub)
	if i < 0 {
		return 0
	}
	return int64(utf8.RuneCount(s[:i])) + 1
}

// overlay replaces n characters from start, as many as the new part has if n is
// not given.
func overlay(_ *expr.Env, typs []types.T, a []types.Datum) (types.Datum, error) {
	s, repl, start := a[0].Bytes, a[1].Bytes, a[2].Int
	text := typs[0].Kind != types.Bytea
	n := int64(len(repl))
	if text {
		n = int64(utf8.RuneCount(repl))
	}
	if len(a) > 3 {
		n = a[3].Int
	}
	if start <= 0 {
		return types.NullDatum, sqlerr.New(sqlerr.SubstringError, "negative substring length not allowed")
	}
	if start+n > math.MaxInt32 {
		return types.NullDatum, intOutOfRange(types.Int4)
	}
	cut := subbytes
	if text {
		cut = substr
	}
	head, err := cut(s, 1, start-1, true)
	if err != nil {
		return types.NullDatum, err
	}
	tail, err := cut(s, start+n, 0, false)
	if err != nil {
		return types.NullDatum, err
	}
	out := append(append(bytes.Clone(head), repl...), tail...)
	if out == nil {
		out = []byte{}
	}
	return types.NewBytes(out), nil
}
