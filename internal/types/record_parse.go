package types

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// parseRecord reads what appendRecord prints, as record_in does: "" and \ quote, a field
// of no text is NULL. 22P02.
func parseRecord(t T, s string, env *IOEnv) (Datum, error) {
	shape := t.Shape()
	if shape == nil {
		return NullDatum, sqlerr.New(sqlerr.FeatureNotSupported, "input of anonymous composite types is not implemented")
	}
	malformed := func(detail string) (Datum, error) {
		return NullDatum, sqlerr.New(sqlerr.InvalidTextRepresentation, `malformed record literal: "%s"`, s).WithDetail("%s", detail)
	}
	const blanks = " \t\n\r\v\f"
	rest := strings.TrimLeft(s, blanks)
	if !strings.HasPrefix(rest, "(") {
		return malformed("Missing left parenthesis.")
	}
	rest = rest[1:]
	values := make([]Datum, len(shape.Fields))
	for i, f := range shape.Fields {
		if i > 0 {
			if !strings.HasPrefix(rest, ",") {
				return malformed("Too few columns.")
			}
			rest = rest[1:]
		}
		if rest == "" {
			return malformed("Unexpected end of input.")
		}
		if rest[0] == ',' || rest[0] == ')' {
			values[i] = NullDatum
			continue
		}
		text, n, ok := recordField(rest)
		if !ok {
			return malformed("Unexpected end of input.")
		}
		rest = rest[n:]
		var err error
		if values[i], err = ParseString(f.T, text, env); err != nil {
			return NullDatum, err
		}
	}
	if !strings.HasPrefix(rest, ")") {
		return malformed("Too many columns.")
	}
	if strings.TrimLeft(rest[1:], blanks) != "" {
		return malformed("Junk after right parenthesis.")
	}
	return NewRecord(shape, values), nil
}

// recordField reads a field up to the comma or parenthesis that ends it, n bytes of s.
func recordField(s string) (text string, n int, ok bool) {
	var b strings.Builder
	quoted := false
	for n < len(s) {
		c := s[n]
		switch {
		case !quoted && (c == ',' || c == ')'):
			return b.String(), n, true
		case c == '\\':
			if n++; n == len(s) {
				return "", n, false
			}
			b.WriteByte(s[n])
		case c == '"' && quoted && n+1 < len(s) && s[n+1] == '"':
			b.WriteByte('"')
			n++
		case c == '"':
			quoted = !quoted
		default:
			b.WriteByte(c)
		}
		n++
	}
	return "", n, false
}
