package types

import (
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// ParseBytea reads the hex or the escape form.
func ParseBytea(s string) ([]byte, error) {
	if strings.HasPrefix(s, `\x`) {
		return DecodeHex(s[2:])
	}
	out := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' {
			out = append(out, s[i])
			continue
		}
		switch {
		case i+1 < len(s) && s[i+1] == '\\':
			out = append(out, '\\')
			i++
		case i+3 < len(s) && s[i+1] >= '0' && s[i+1] <= '3' && isOctal(s[i+2]) && isOctal(s[i+3]):
			out = append(out, (s[i+1]-'0')<<6|(s[i+2]-'0')<<3|(s[i+3]-'0'))
			i += 3
		default:
			return nil, sqlerr.New(sqlerr.InvalidTextRepresentation, "invalid input syntax for type bytea")
		}
	}
	return out, nil
}

func isOctal(c byte) bool { return c >= '0' && c <= '7' }

// DecodeHex reads hexadecimal digits, blanks between pairs allowed: 22023.
func DecodeHex(s string) ([]byte, error) {
	out := make([]byte, 0, len(s)/2)
	for i := 0; i < len(s); {
		if c := s[i]; c == ' ' || c == '\n' || c == '\t' || c == '\r' {
			i++
			continue
		}
		hi, err := hexValue(s[i:])
		if err != nil {
			return nil, err
		}
		if i++; i >= len(s) {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, "invalid hexadecimal data: odd number of digits")
		}
		lo, err := hexValue(s[i:])
		if err != nil {
			return nil, err
		}
		i++
		out = append(out, hi<<4|lo)
	}
	return out, nil
}

func hexValue(s string) (byte, error) {
	switch c := s[0]; {
	case c >= '0' && c <= '9':
		return c - '0', nil
	case c >= 'a' && c <= 'f':
		return c - 'a' + 10, nil
	case c >= 'A' && c <= 'F':
		return c - 'A' + 10, nil
	}
	_, n := utf8.DecodeRuneInString(s)
	return 0, sqlerr.New(sqlerr.InvalidParameterValue, `invalid hexadecimal digit: "%s"`, s[:n])
}
