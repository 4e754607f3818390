package builtin

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	nfc := []byte("NFC")
	expr.RegisterFuncs(
		fn("unistr", ts(tText), tText, t1(unistr)),
		fn("normalize", ts(tText), tText, t1(func(dst, s []byte) ([]byte, error) { return normalize(dst, s, nfc) })),
		fn("normalize", ts(tText, tText), tText, t2(normalize)),
		fn("is_normalized", ts(tText), tBool, datumKernel(isNormalized)),
		fn("is_normalized", ts(tText, tText), tBool, datumKernel(isNormalized)),
	)
}

// unistr decodes \XXXX, \uXXXX, \+XXXXXX and \UXXXXXXXX.
func unistr(dst, s []byte) ([]byte, error) {
	badPair := func() ([]byte, error) {
		return nil, sqlerr.New(sqlerr.SyntaxError, "invalid Unicode surrogate pair")
	}
	first := rune(0) // of a pair
	for len(s) > 0 {
		if s[0] != '\\' || len(s) > 1 && s[1] == '\\' {
			if first != 0 {
				return badPair()
			}
			dst = append(dst, s[0])
			if s[0] == '\\' {
				s = s[1:]
			}
			s = s[1:]
			continue
		}
		c, n, err := unicodeEscape(s)
		if err != nil {
			return nil, err
		}
		s = s[n:]
		low := c >= 0xdc00 && c < 0xe000
		switch {
		case first != 0 != low:
			return badPair()
		case low:
			dst = utf8.AppendRune(dst, utf16.DecodeRune(first, c))
			first = 0
		case utf16.IsSurrogate(c):
			first = c
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	if first != 0 {
		return badPair()
	}
	return dst, nil
}

// unicodeEscape reads the escape that s begins with, of n bytes.
func unicodeEscape(s []byte) (c rune, n int, err error) {
	for _, form := range []struct {
		mark   string
		digits int
	}{{`\`, 4}, {`\u`, 4}, {`\+`, 6}, {`\U`, 8}} {
		n = len(form.mark) + form.digits
		if len(s) < n || !strings.HasPrefix(string(s[:2]), form.mark) {
			continue
		}
		v, err := strconv.ParseUint(string(s[len(form.mark):n]), 16, 64)
		if err != nil {
			continue
		}
		if v == 0 || v > utf8.MaxRune {
			return 0, 0, sqlerr.New(sqlerr.InvalidParameterValue, "invalid Unicode code point: %04X", v)
		}
		return rune(v), n, nil
	}
	return 0, 0, sqlerr.New(sqlerr.SyntaxError, "invalid Unicode escape").
		WithHint(`Unicode escapes must be \XXXX, \+XXXXXX, \uXXXX, or \UXXXXXXXX.`)
}

// maxMarks is how many marks may follow each other: with what they are taken apart into, and
// what a letter brings, they stay below the 30 from which the package norm would put joiners
// between them.
const maxMarks = 13

// normalForm finds a form, and whether s can be brought to it.
func normalForm(s, name []byte) (norm.Form, error) {
	form, ok := map[string]norm.Form{"NFC": norm.NFC, "NFD": norm.NFD, "NFKC": norm.NFKC, "NFKD": norm.NFKD}[strings.ToUpper(string(name))]
	if !ok {
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "invalid normalization form: %s", name)
	}
	marks := 0
	for i := 0; i < len(s); {
		p := norm.NFKD.Properties(s[i:])
		if i += max(p.Size(), 1); p.CCC() == 0 {
			marks = 0
		} else if marks++; marks > maxMarks {
			return 0, sqlerr.Unsupported("normalizing a letter with so many marks is not supported", "Normalize the text in the program.")
		}
	}
	return form, nil
}

func normalize(dst, s, form []byte) ([]byte, error) {
	f, err := normalForm(s, form)
	if err != nil {
		return nil, err
	}
	return f.Append(dst, s...), nil
}

func isNormalized(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	form := []byte("NFC")
	if len(a) > 1 {
		form = a[1].Bytes
	}
	f, err := normalForm(a[0].Bytes, form)
	if err != nil {
		return types.NullDatum, err
	}
	return types.NewBool(f.IsNormal(a[0].Bytes)), nil
}
