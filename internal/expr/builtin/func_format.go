package builtin

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// encode, decode, format, quote_nullable, string_to_array, array_to_string.

func init() {
	expr.RegisterFuncs(
		fn("encode", ts(tBytea, tText), tText, t2(encodeBytes)),
		fn("decode", ts(tText, tText), tBytea, t2(decodeBytes)),
		fn("format", ts(tText), tText, datumKernel(formatFunc)).CalledOnNull().AsStable(),
		fn("format", ts(tText, tAny), tText, datumKernel(formatFunc)).CalledOnNull().AsStable().AsVariadic(),
		fn("quote_nullable", ts(tText), tText, datumKernel(quoteNullable)).CalledOnNull(),
		fn("quote_nullable", ts(tAnyEl), tText, datumKernel(quoteNullable)).CalledOnNull().AsStable(),
		fn("quote_literal", ts(tAnyEl), tText, datumKernel(quoteNullable)).AsStable(),
		fn("string_to_array", ts(tText, tText), tTexts, datumKernel(stringToArray)).CalledOnNull(),
		fn("string_to_array", ts(tText, tText, tText), tTexts, datumKernel(stringToArray)).CalledOnNull(),
		fn("array_to_string", ts(tAnyArr, tText), tText, datumKernel(arrayToString)).CalledOnNull().AsStable(),
		fn("array_to_string", ts(tAnyArr, tText, tText), tText, datumKernel(arrayToString)).CalledOnNull().AsStable(),
		fn("convert", ts(tBytea, tName, tName), tBytea, t3(convert)).AsStable(),
		fn("convert_from", ts(tBytea, tName), tText, t2(convertFrom)).AsStable(),
		fn("convert_to", ts(tText, tName), tBytea, t2(func(dst, s, enc []byte) ([]byte, error) {
			if err := checkEncoding(enc); err != nil {
				return nil, err
			}
			return append(dst, s...), nil
		})).AsStable(),
	)
}

func badFormat(name []byte) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized encoding: "%s"`, name)
}

func encodeBytes(dst, s, format []byte) ([]byte, error) {
	switch strings.ToLower(string(format)) {
	case "hex":
		return hex.AppendEncode(dst, s), nil
	case "base64":
		// A line holds 76 characters.
		enc := base64.StdEncoding.AppendEncode(nil, s)
		for len(enc) > 76 {
			dst = append(append(dst, enc[:76]...), '\n')
			enc = enc[76:]
		}
		return append(dst, enc...), nil
	case "escape":
		for _, c := range s {
			switch {
			case c == 0 || c >= 0x80:
				dst = append(dst, '\\', '0'+c>>6, '0'+c>>3&7, '0'+c&7)
			case c == '\\':
				dst = append(dst, '\\', '\\')
			default:
				dst = append(dst, c)
			}
		}
		return dst, nil
	}
	return nil, badFormat(format)
}

func decodeBytes(dst, s, format []byte) ([]byte, error) {
	switch strings.ToLower(string(format)) {
	case "hex":
		b, err := types.DecodeHex(string(s))
		return append(dst, b...), err
	case "base64":
		clean := bytes.Map(func(r rune) rune {
			if r == ' ' || r >= '\t' && r <= '\r' {
				return -1
			}
			return r
		}, s)
		for i, c := range clean {
			if !strings.ContainsRune("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=", rune(c)) {
				_, n := utf8.DecodeRune(clean[i:])
				return nil, sqlerr.New(sqlerr.InvalidParameterValue, `invalid symbol "%s" found while decoding base64 sequence`, clean[i:i+n])
			}
		}
		b, err := base64.StdEncoding.AppendDecode(dst, clean)
		if err != nil {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "invalid base64 end sequence").
				WithHint("Input data is missing padding, is truncated, or is otherwise corrupted.")
		}
		return b, nil
	case "escape":
		b, err := types.ParseBytea("" + string(s))
		if bytes.HasPrefix(s, []byte(`\x`)) {
			return nil, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type bytea")
		}
		return append(dst, b...), err
	}
	return nil, badFormat(format)
}

func checkEncoding(name []byte) error {
	switch strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(string(name))) {
	case "utf8", "unicode":
		return nil
	}
	return sqlerr.Unsupported("conversion between UTF8 and "+string(name)+" is not supported", "Text is UTF8; convert it in the client.")
}

// convert is from UTF8 to UTF8, which is a check.
func convert(dst, s, from, to []byte) ([]byte, error) {
	if err := checkEncoding(to); err != nil {
		return nil, err
	}
	return convertFrom(dst, s, from)
}

func convertFrom(dst, s, enc []byte) ([]byte, error) {
	if err := checkEncoding(enc); err != nil {
		return nil, err
	}
	if err := types.CheckUTF8(string(s)); err != nil {
		return nil, err
	}
	return append(dst, s...), nil
}

func quoteNullable(env *expr.Env, typs []types.T, a []types.Datum) (types.Datum, error) {
	if a[0].Null {
		return types.NewText("NULL"), nil
	}
	return types.NewBytes(quoteLiteralE([]byte(castText(env, typs[0], a[0])))), nil
}

// castText is a value as a cast to text gives it.
func castText(env *expr.Env, t types.T, d types.Datum) string {
	switch t.Kind {
	case types.Bool:
		return strconv.FormatBool(d.Bool)
	case types.Bpchar:
		return string(d.Bytes)
	}
	return types.Format(t, d, env.TextIO())
}

// formatFunc is format(): %s, %I and %L with position, flag and width.
func formatFunc(env *expr.Env, typs []types.T, a []types.Datum) (types.Datum, error) {
	if a[0].Null {
		return types.NullDatum, nil
	}
	f := a[0].Bytes
	var out []byte
	next := 1
	value := func(n int) (types.Datum, types.T, error) {
		if n >= len(a) {
			return types.NullDatum, types.T{}, sqlerr.New(sqlerr.InvalidParameterValue, "too few arguments for format()")
		}
		return a[n], typs[n], nil
	}
	var tooLarge error
	number := func(i *int) (int, bool) {
		start := *i
		for *i < len(f) && f[*i] >= '0' && f[*i] <= '9' {
			*i++
		}
		if *i == start {
			return 0, false
		}
		n, err := strconv.ParseInt(string(f[start:*i]), 10, 32)
		if err != nil {
			tooLarge = sqlerr.New(sqlerr.NumericValueOutOfRange, "number is out of range")
		}
		return int(n), true
	}
	unterminated := func() error {
		return sqlerr.New(sqlerr.InvalidParameterValue, "unterminated format() type specifier").
			WithHint(`For a single "%%" use "%%%%".`)
	}
	for i := 0; i < len(f); i++ {
		if f[i] != '%' {
			out = append(out, f[i])
			continue
		}
		if i++; i >= len(f) {
			return types.NullDatum, unterminated()
		}
		if f[i] == '%' {
			out = append(out, '%')
			continue
		}
		arg, width, left := 0, 0, false
		mark := i
		if n, ok := number(&i); ok && i < len(f) && f[i] == '$' {
			if n == 0 {
				return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "format specifies argument 0, but arguments are numbered from 1")
			}
			arg = n
			i++
		} else {
			i = mark
		}
		for i < len(f) && f[i] == '-' {
			left = true
			i++
		}
		if i < len(f) && f[i] == '*' {
			i++
			n := next
			mark = i
			if m, ok := number(&i); ok && i < len(f) && f[i] == '$' {
				n = m
				i++
			} else {
				i = mark
			}
			next = n + 1 // the value follows its width
			d, t, err := value(n)
			if err != nil {
				return types.NullDatum, err
			}
			if !d.Null {
				w, err := eval.CastDatum(env, d, t, tInt4, expr.Explicit)
				if err != nil {
					return types.NullDatum, err
				}
				if w.Int == math.MinInt32 {
					return types.NullDatum, sqlerr.New(sqlerr.NumericValueOutOfRange, "number is out of range")
				}
				width = int(w.Int)
				if width < 0 {
					left, width = true, -width
				}
			}
		} else if n, ok := number(&i); ok {
			width = n
		}
		if tooLarge != nil {
			return types.NullDatum, tooLarge
		}
		if i >= len(f) {
			return types.NullDatum, unterminated()
		}
		if arg == 0 {
			arg = next
		}
		c := f[i]
		if c != 's' && c != 'I' && c != 'L' {
			_, size := utf8.DecodeRune(f[i:])
			return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized format() type specifier "%s"`, f[i:i+size]).
				WithHint(`For a single "%%" use "%%%%".`)
		}
		d, t, err := value(arg)
		if err != nil {
			return types.NullDatum, err
		}
		next = arg + 1
		s, err := formatArg(env, c, t, d)
		if err != nil {
			return types.NullDatum, err
		}
		if err := env.Fits(len(out) + width); err != nil {
			return types.NullDatum, err
		}
		pad := max(0, width-utf8.RuneCount(s))
		if left {
			out = append(append(out, s...), bytes.Repeat([]byte{' '}, pad)...)
		} else {
			out = append(append(out, bytes.Repeat([]byte{' '}, pad)...), s...)
		}
	}
	return types.NewText(string(out)), nil
}

func formatArg(env *expr.Env, c byte, t types.T, d types.Datum) ([]byte, error) {
	if d.Null {
		switch c {
		case 'L':
			return []byte("NULL"), nil
		case 'I':
			return nil, sqlerr.New(sqlerr.NullValueNotAllowed, "null values cannot be formatted as an SQL identifier")
		}
		return nil, nil
	}
	s := []byte(types.Format(t, d, env.TextIO()))
	switch c {
	case 'I':
		return ident.Append(nil, s), nil
	case 'L':
		return quoteLiteralE(s), nil
	}
	return s, nil
}

func stringToArray(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	if a[0].Null {
		return types.NullDatum, nil
	}
	s := a[0].Bytes
	var parts [][]byte
	switch {
	case len(s) == 0:
	case a[1].Null:
		for rest := s; len(rest) > 0; {
			_, n := utf8.DecodeRune(rest)
			parts = append(parts, rest[:n])
			rest = rest[n:]
		}
	case len(a[1].Bytes) == 0:
		parts = [][]byte{s}
	default:
		parts = bytes.Split(s, a[1].Bytes)
	}
	elems := make([]types.Datum, len(parts))
	for i, p := range parts {
		if len(a) > 2 && !a[2].Null && bytes.Equal(p, a[2].Bytes) {
			elems[i] = types.NullDatum
		} else {
			elems[i] = types.NewBytes(bytes.Clone(p))
			if elems[i].Bytes == nil {
				elems[i].Bytes = []byte{}
			}
		}
	}
	return types.NewArray(tText, elems), nil
}

func arrayToString(env *expr.Env, typs []types.T, a []types.Datum) (types.Datum, error) {
	if a[0].Null || a[1].Null {
		return types.NullDatum, nil
	}
	io := env.TextIO()
	out := []byte{}
	first := true
	for _, e := range a[0].Array.Elems {
		if e.Null && (len(a) < 3 || a[2].Null) {
			continue
		}
		if !first {
			out = append(out, a[1].Bytes...)
		}
		first = false
		if e.Null {
			out = append(out, a[2].Bytes...)
		} else {
			out = types.AppendText(out, typs[0].ElemType(), e, io)
		}
	}
	return types.NewBytes(out), nil
}
