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
	var parts []types.Datum
	for s := bytes.TrimLeft(a[0].Bytes, space); ; s = bytes.TrimLeft(s[1:], space) {
		n := identLength(s)
		switch {
		case len(s) > 0 && s[0] == '"':
			var name []byte
			for s = s[1:]; ; s = s[1:] {
				end := bytes.IndexByte(s, '"')
				if end < 0 {
					return bad("String has unclosed double quotes.")
				}
				name, s = append(name, s[:end]...), s[end+1:]
				if len(s) == 0 || s[0] != '"' {
					break
				}
				name = append(name, '"')
			}
			if len(name) == 0 {
				return bad("Quoted identifier must not be empty.")
			}
			parts = append(parts, types.NewBytes(name))
		case n > 0:
			name := bytes.Clone(s[:n])
			for i, c := range name {
				if c >= 'A' && c <= 'Z' {
					name[i] = c + 'a' - 'A'
				}
			}
			parts, s = append(parts, types.NewBytes(name)), s[n:]
		case len(s) > 0 && s[0] == '.':
			return bad(`No valid identifier before ".".`)
		case len(parts) > 0:
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
