package builtin

import (
	"bytes"
	"crypto/md5"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"math"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

func init() {
	runes := k1(func(s []byte) int64 { return int64(utf8.RuneCount(s)) })
	octets := k1(func(s []byte) int64 { return int64(len(s)) })
	padded := func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		pad := padder(args[0].Type)
		for _, i := range sel {
			out.Ints[i] = int64(len(pad(args[0].Bytes[i])))
		}
		return nil
	}
	bits := k1(func(s []byte) int64 { return 8 * int64(len(s)) })
	expr.RegisterFuncs(
		fn("length", ts(tText), tInt4, runes),
		fn("length", ts(tBpchar), tInt4, k1(func(s []byte) int64 { return int64(utf8.RuneCount(bytes.TrimRight(s, " "))) })),
		fn("length", ts(tBytea), tInt4, octets),
		fn("length", ts(tBytea, tName), tInt4, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			s, err := convertFrom(nil, a[0].Bytes, a[1].Bytes)
			return types.NewInt(int64(utf8.RuneCount(s))), err
		})).AsStable(),
		fn("char_length", ts(tText), tInt4, runes),
		fn("char_length", ts(tBpchar), tInt4, k1(func(s []byte) int64 { return int64(utf8.RuneCount(bytes.TrimRight(s, " "))) })),
		fn("character_length", ts(tText), tInt4, runes),
		fn("octet_length", ts(tText), tInt4, octets),
		fn("octet_length", ts(tBpchar), tInt4, padded),
		fn("octet_length", ts(tBytea), tInt4, octets),
		fn("bit_length", ts(tText), tInt4, bits),
		fn("bit_length", ts(tBytea), tInt4, bits),
		fn("lower", ts(tText), tText, t1(func(dst, s []byte) ([]byte, error) { return appendLower(dst, s), nil })),
		fn("upper", ts(tText), tText, t1(func(dst, s []byte) ([]byte, error) { return appendUpper(dst, s), nil })),
		fn("initcap", ts(tText), tText, t1(initcap)),
		fn("reverse", ts(tText), tText, t1(reverse)),
		fn("reverse_labels", ts(tText), tText, t1(reverseLabels)),
		fn("repeat", ts(tText, tInt4), tText, t2env(repeat)),
		fn("replace", ts(tText, tText, tText), tText, t3env(replace)),
		fn("translate", ts(tText, tText, tText), tText, t3(translate)),
		fn("left", ts(tText, tInt4), tText, t2(leftText)),
		fn("right", ts(tText, tInt4), tText, t2(rightText)),
		fn("lpad", ts(tText, tInt4), tText, t2env(func(env *expr.Env, dst, s []byte, n int64) ([]byte, error) {
			return padText(env, dst, s, n, []byte{' '}, true)
		})),
		fn("rpad", ts(tText, tInt4), tText, t2env(func(env *expr.Env, dst, s []byte, n int64) ([]byte, error) {
			return padText(env, dst, s, n, []byte{' '}, false)
		})),
		fn("lpad", ts(tText, tInt4, tText), tText, t3env(func(env *expr.Env, dst, s []byte, n int64, p []byte) ([]byte, error) {
			return padText(env, dst, s, n, p, true)
		})),
		fn("rpad", ts(tText, tInt4, tText), tText, t3env(func(env *expr.Env, dst, s []byte, n int64, p []byte) ([]byte, error) {
			return padText(env, dst, s, n, p, false)
		})),
		fn("ascii", ts(tText), tInt4, k1(func(s []byte) int64 {
			if len(s) == 0 {
				return 0
			}
			r, _ := utf8.DecodeRune(s)
			return int64(r)
		})),
		fn("chr", ts(tInt4), tText, t1(chr)),
		fn("starts_with", ts(tText, tText), tBool, k2(bytes.HasPrefix)),
		fn("split_part", ts(tText, tText, tInt4), tText, t3(splitPart)),
		fn("quote_ident", ts(tText), tText, t1(func(dst, s []byte) ([]byte, error) { return ident.Append(dst, s), nil })),
		fn("quote_literal", ts(tText), tText, t1(func(dst, s []byte) ([]byte, error) { return append(dst, quoteLiteralE(s)...), nil })),
		fn("md5", ts(tText), tText, t1(md5Hex)),
		fn("md5", ts(tBytea), tText, t1(md5Hex)),
		fn("sha224", ts(tBytea), tBytea, t1(func(dst, s []byte) ([]byte, error) { h := sha256.Sum224(s); return append(dst, h[:]...), nil })),
		fn("sha256", ts(tBytea), tBytea, t1(func(dst, s []byte) ([]byte, error) { h := sha256.Sum256(s); return append(dst, h[:]...), nil })),
		fn("sha384", ts(tBytea), tBytea, t1(func(dst, s []byte) ([]byte, error) { h := sha512.Sum384(s); return append(dst, h[:]...), nil })),
		fn("sha512", ts(tBytea), tBytea, t1(func(dst, s []byte) ([]byte, error) { h := sha512.Sum512(s); return append(dst, h[:]...), nil })),
	)
	expr.RegisterOps(fn("^@", ts(tText, tText), tBool, k2(bytes.HasPrefix)))
}

func md5Hex(dst, s []byte) ([]byte, error) {
	h := md5.Sum(s)
	return hex.AppendEncode(dst, h[:]), nil
}

func appendLower(dst, s []byte) []byte { return appendMapped(dst, s, unicode.ToLower) }
func appendUpper(dst, s []byte) []byte { return appendMapped(dst, s, unicode.ToUpper) }

// appendMapped maps ASCII without looking at runes.
func appendMapped(dst, s []byte, f func(rune) rune) []byte {
	for len(s) > 0 {
		if c := s[0]; c < utf8.RuneSelf {
			dst = append(dst, byte(f(rune(c))))
			s = s[1:]
			continue
		}
		r, n := utf8.DecodeRune(s)
		dst = utf8.AppendRune(dst, f(r))
		s = s[n:]
	}
	return dst
}

func initcap(dst, s []byte) ([]byte, error) {
	inWord := false
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		if inWord {
			dst = utf8.AppendRune(dst, unicode.ToLower(r))
		} else {
			dst = utf8.AppendRune(dst, unicode.ToUpper(r))
		}
		inWord = unicode.IsLetter(r) || unicode.IsDigit(r)
		s = s[n:]
	}
	return dst, nil
}

func reverse(dst, s []byte) ([]byte, error) {
	for len(s) > 0 {
		_, n := utf8.DecodeLastRune(s)
		dst = append(dst, s[len(s)-n:]...)
		s = s[:len(s)-n]
	}
	return dst, nil
}

// reverseLabels gives the parts of s between dots from the last to the first: www.example.org is
// org.example.www, by which all names of a domain are one range of a key.
func reverseLabels(dst, s []byte) ([]byte, error) {
	for {
		at := bytes.LastIndexByte(s, '.')
		dst = append(dst, s[at+1:]...)
		if at < 0 {
			return dst, nil
		}
		dst, s = append(dst, '.'), s[:at]
	}
}

func repeat(env *expr.Env, dst, s []byte, n int64) ([]byte, error) {
	if n <= 0 || len(s) == 0 {
		return dst, nil
	}
	size := n * int64(len(s))
	if err := env.Fits(int(size)); err != nil {
		return nil, err
	}
	dst = slices.Grow(dst, int(size))
	from, end := len(dst), len(dst)+int(size)
	for dst = append(dst, s...); len(dst) < end; {
		dst = append(dst, dst[from:min(len(dst), from+end-len(dst))]...) // twice as much
	}
	return dst, nil
}

func replace(env *expr.Env, dst, s, from, to []byte) ([]byte, error) {
	if len(from) == 0 {
		return append(dst, s...), nil
	}
	if grow := len(to) - len(from); grow > 0 && len(s)/len(from)*grow > expr.Unbooked {
		size := len(s) + bytes.Count(s, from)*grow
		if size > expr.MaxText {
			return nil, expr.TooLarge(len(s), size-len(s))
		}
		if err := env.Fits(size); err != nil {
			return nil, err
		}
		dst = slices.Grow(dst, size)
	}
	for {
		i := bytes.Index(s, from)
		if i < 0 {
			return append(dst, s...), nil
		}
		dst = append(append(dst, s[:i]...), to...)
		s = s[i+len(from):]
	}
}

func translate(dst, s, from, to []byte) ([]byte, error) {
	f, t := bytes.Runes(from), bytes.Runes(to)
next:
	for len(s) > 0 {
		r, n := utf8.DecodeRune(s)
		s = s[n:]
		for k, x := range f {
			if x == r {
				if k < len(t) {
					dst = utf8.AppendRune(dst, t[k])
				}
				continue next
			}
		}
		dst = utf8.AppendRune(dst, r)
	}
	return dst, nil
}

// runeOffset gives the byte offset of the n-th rune, or len(s).
func runeOffset(s []byte, n int64) int {
	i := 0
	for n > 0 && i < len(s) {
		if s[i] < utf8.RuneSelf {
			i++
		} else {
			_, size := utf8.DecodeRune(s[i:])
			i += size
		}
		n--
	}
	return i
}

func leftText(dst, s []byte, n int64) ([]byte, error) {
	if n < 0 {
		n = max(0, int64(utf8.RuneCount(s))+n)
	}
	return append(dst, s[:runeOffset(s, n)]...), nil
}

func rightText(dst, s []byte, n int64) ([]byte, error) {
	count := int64(utf8.RuneCount(s))
	skip := count - n
	switch {
	case n == math.MinInt32:
		skip = 0 // Postgres negates it in 32 bits
	case n < 0:
		skip = -n
	}
	return append(dst, s[runeOffset(s, max(0, skip)):]...), nil
}

func padText(env *expr.Env, dst, s []byte, n int64, pad []byte, left bool) ([]byte, error) {
	if n <= 0 {
		return dst, nil
	}
	count := int64(utf8.RuneCount(s))
	if n <= count {
		return append(dst, s[:runeOffset(s, n)]...), nil
	}
	if len(pad) == 0 {
		return append(dst, s...), nil
	}
	if n*4 > expr.MaxText {
		return nil, expr.TooLong()
	}
	if size := n - count; size > expr.Unbooked {
		if err := env.Fits(len(s) + int(size)*len(pad)/utf8.RuneCount(pad)); err != nil {
			return nil, err
		}
	}
	if !left {
		dst = append(dst, s...)
	}
	rest := pad
	for range n - count {
		if len(rest) == 0 {
			rest = pad
		}
		_, size := utf8.DecodeRune(rest)
		dst = append(dst, rest[:size]...)
		rest = rest[size:]
	}
	if left {
		dst = append(dst, s...)
	}
	return dst, nil
}

func chr(dst []byte, n int64) ([]byte, error) {
	switch {
	case n < 0:
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "character number must be positive")
	case n == 0:
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "null character not permitted")
	case n > unicode.MaxRune:
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "requested character too large for encoding: %d", n)
	case n >= 0xd800 && n <= 0xdfff:
		return nil, sqlerr.New(sqlerr.ProgramLimitExceeded, "requested character not valid for encoding: %d", n)
	}
	return utf8.AppendRune(dst, rune(n)), nil
}

func splitPart(dst, s, sep []byte, n int64) ([]byte, error) {
	if n == 0 {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "field position must not be zero")
	}
	if len(sep) == 0 {
		if n == 1 || n == -1 {
			return append(dst, s...), nil
		}
		return dst, nil
	}
	parts := bytes.Split(s, sep)
	if n < 0 {
		n += int64(len(parts)) + 1
	}
	if n < 1 || n > int64(len(parts)) {
		return dst, nil
	}
	return append(dst, parts[n-1]...), nil
}

// quoteLiteralE is quote_literal: backslashes are doubled after a leading E.
func quoteLiteralE(s []byte) []byte {
	var out []byte
	if bytes.IndexByte(s, '\\') >= 0 {
		out = append(out, 'E')
	}
	out = append(out, '\'')
	for _, c := range s {
		if c == '\'' || c == '\\' {
			out = append(out, c)
		}
		out = append(out, c)
	}
	return append(out, '\'')
}
