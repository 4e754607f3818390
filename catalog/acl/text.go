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
