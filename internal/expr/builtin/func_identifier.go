package builtin

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

func init() {
	expr.RegisterFuncs(
		fn("parse_ident", ts(tText), tTexts, datumKernel(parseIdent)),
		fn("parse_ident", ts(tText, tBool), tTexts, datumKernel(parseIdent)),
	)
}

// parseIdent takes a qualified name apart; what follows it is an error unless the second
// argument is false.
func parseIdent(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	bad := func(detail string) (types.Datum, error) {
		e := sqlerr.New(sqlerr.InvalidParameterValue, `string is not a valid identifier: "%s"`, a[0].Bytes)
		if detail != "" {
			e = e.WithDetail("%s", detail)
		}
		return types.NullDatum, e
	}
	const space = " \t\n\r\f"
	names := make([]byte, 0, len(a[0].Bytes)) // no name is longer than what it is written as
	var ends []uint32                         // of the names in it
	for s := bytes.TrimLeft(a[0].Bytes, space); ; s = bytes.TrimLeft(s[1:], space) {
		n := identLength(s)
		switch {
		case len(s) > 0 && s[0] == '"':
			from := len(names)
			for s = s[1:]; ; s = s[1:] {
				end := bytes.IndexByte(s, '"')
				if end < 0 {
					return bad("String has unclosed double quotes.")
				}
				names, s = append(names, s[:end]...), s[end+1:]
				if len(s) == 0 || s[0] != '"' {
					break
				}
				names = append(names, '"')
			}
			if len(names) == from {
				return bad("Quoted identifier must not be empty.")
			}
			ends = append(ends, uint32(len(names)))
		case n > 0:
			for _, c := range s[:n] {
				if c >= 'A' && c <= 'Z' {
					c += 'a' - 'A'
				}
				names = append(names, c)
			}
			ends, s = append(ends, uint32(len(names))), s[n:]
		case len(s) > 0 && s[0] == '.':
			return bad(`No valid identifier before ".".`)
		case len(ends) > 0:
			return bad(`No valid identifier after ".".`)
		default:
			return bad("")
		}
		if s = bytes.TrimLeft(s, space); len(s) > 0 && s[0] == '.' {
			continue
		}
		if len(s) > 0 && (len(a) < 2 || a[1].Bool) {
			return bad("")
		}
		parts, from := make([]types.Datum, len(ends)), uint32(0)
		for i, end := range ends {
			parts[i], from = types.NewBytes(names[from:end:end]), end
		}
		return types.NewArray(tText, parts), nil
	}
}

// identLength is how many bytes at the start of s are a name without quotes.
func identLength(s []byte) int {
	for i, c := range s {
		start := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' || c >= 0x80
		if !start && (i == 0 || c != '$' && (c < '0' || c > '9')) {
			return i
		}
	}
	return len(s)
}
