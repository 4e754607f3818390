package pgcatalog

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// SplitName reads a name of one or two parts, or of three that begin with the database's,
// by SQL's rules: unquoted parts are folded to lower case, "" inside quotes is a quote. 42602 for anything else.
func SplitName(text, database string) ([]string, error) {
	bad := sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
	var parts []string
	rest := strings.TrimSpace(text)
	for {
		var part string
		quoted := strings.HasPrefix(rest, `"`)
		if quoted {
			i := 1
			for ; ; i++ {
				if i >= len(rest) {
					return nil, bad
				}
				if rest[i] != '"' {
					part += rest[i : i+1]
					continue
				}
				if i+1 < len(rest) && rest[i+1] == '"' {
					part += `"`
					i++
					continue
				}
				break
			}
			rest = rest[i+1:]
		} else {
			i := strings.IndexByte(rest, '.')
			if i < 0 {
				i = len(rest)
			}
			part = strings.ToLower(strings.TrimSpace(rest[:i]))
			if strings.ContainsAny(part, "\" \t\n") {
				return nil, bad
			}
			rest = rest[i:]
		}
		if part == "" && !quoted {
			return nil, bad
		}
		parts = append(parts, part)
		rest = strings.TrimSpace(rest)
		if rest == "" {
			break
		}
		if rest[0] != '.' {
			return nil, bad
		}
		rest = strings.TrimSpace(rest[1:])
	}
	if len(parts) == 3 && parts[0] == database {
		parts = parts[1:]
	}
	switch {
	case len(parts) > 3:
		return nil, sqlerr.New(sqlerr.SyntaxError, "improper relation name (too many dotted names): %s", strings.Join(parts, "."))
	case len(parts) > 2:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, `cross-database references are not implemented: "%s"`, strings.Join(parts, "."))
	}
	return parts, nil
}
