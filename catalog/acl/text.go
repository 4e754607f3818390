package acl

import (
	"strconv"
	"strings"
)

// Text prints an item as aclitem does: grantee=rights/grantor, a right with its grant
// option followed by a star. name gives a role's name; a role without one is a number.
//
//	alice=ar*w/bob
func (it Item) Text(name func(uint32) (string, bool)) string {
	var b strings.Builder
	role := func(id uint32) {
		n, ok := name(id)
		if !ok {
			b.WriteString(strconv.FormatUint(uint64(id), 10))
			return
		}
		plain := strings.IndexFunc(n, func(r rune) bool {
			return r != '_' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
		}) < 0
		if plain {
			b.WriteString(n)
			return
		}
		b.WriteString(`"` + strings.ReplaceAll(n, `"`, `""`) + `"`)
	}
	if it.Grantee != Public {
		role(it.Grantee)
	}
	b.WriteByte('=')
	for i := range letters {
		if bit := Right(1) << i; it.Rights&bit != 0 {
			b.WriteByte(letters[i])
			if it.Options&bit != 0 {
				b.WriteByte('*')
			}
		}
	}
	b.WriteByte('/')
	role(it.Grantor)
	return b.String()
}

// ParseItem reads what Text has printed; role finds a role by its name. ok is false for a text
// that is no item.
func ParseItem(s string, role func(name string) (uint32, bool)) (it Item, ok bool) {
	next := func(stop byte) (id uint32, ok bool) {
		name, quoted := "", false
		for {
			switch {
			case s == "":
				if stop != 0 {
					return 0, false
				}
			case s[0] == '"' && quoted && strings.HasPrefix(s, `""`):
				name, s = name+`"`, s[2:]
				continue
			case s[0] == '"':
				quoted, s = !quoted, s[1:]
				continue
			case quoted || s[0] != stop:
				name, s = name+s[:1], s[1:]
				continue
			default:
				s = s[1:]
			}
			break
		}
		if name == "" {
			return Public, !quoted
		}
		if id, ok := role(name); ok {
			return id, true
		}
		n, err := strconv.ParseUint(name, 10, 32) // of a role that is gone
		return uint32(n), err == nil
	}
	if it.Grantee, ok = next('='); !ok {
		return it, false
	}
	for s != "" && s[0] != '/' {
		i := strings.IndexByte(letters, s[0])
		if i < 0 {
			return it, false
		}
		it.Rights |= 1 << i
		if s = s[1:]; s != "" && s[0] == '*' {
			it.Options |= 1 << i
			s = s[1:]
		}
	}
	if s == "" {
		return it, false
	}
	s = s[1:]
	it.Grantor, ok = next(0)
	return it, ok
}
