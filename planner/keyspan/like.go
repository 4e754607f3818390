package keyspan

import (
	"bytes"
)

// LikePrefix gives the literal text a LIKE pattern starts with. whole: the
// pattern is that text and nothing else; exact: it is the text and then %.
func LikePrefix(pattern []byte) (prefix []byte, whole, exact bool) {
	if i := bytes.IndexAny(pattern, `%_\`); i < 0 {
		return pattern, true, true
	}
	for i := 0; i < len(pattern); i++ {
		switch pattern[i] {
		case '%':
			return prefix, false, len(bytes.Trim(pattern[i:], "%")) == 0
		case '_':
			return prefix, false, false
		case '\\':
			if i++; i == len(pattern) {
				return prefix, false, false // an error when it is evaluated
			}
		}
		prefix = append(prefix, pattern[i])
	}
	return prefix, true, true
}
