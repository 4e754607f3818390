package regex

// AppendReplace appends s with matches replaced: from offset from on, the n-th
// match only, or all of them if n is 0. In repl, \1 to \9 stand for captures,
// \& for the match and \\ for a backslash. grow is told of each match how many bytes it
// has added, and ends the work by an error.
func (re *Regex) AppendReplace(dst, s, repl []byte, from, n int, grow func(n int) error) ([]byte, error) {
	var room [20]int
	loc, done := room[:], 0
	for count := 1; from <= len(s); count++ {
		if loc = re.Find(loc, s, from); loc == nil {
			break
		}
		from = Next(s, loc)
		if n > 0 && count < n {
			continue
		}
		if err := grow(loc[0] - done + expandedLen(repl, loc)); err != nil {
			return nil, err
		}
		dst = append(dst, s[done:loc[0]]...)
		dst = appendExpanded(dst, s, repl, loc)
		done = loc[1]
		if n > 0 {
			break
		}
	}
	return append(dst, s[done:]...), nil
}

// expandedLen is the most that appendExpanded appends.
func expandedLen(repl []byte, loc []int) int {
	n := len(repl)
	for i := 0; i+1 < len(repl); i++ {
		if repl[i] != '\\' {
			continue
		}
		i++
		k := 0
		if c := repl[i]; c >= '1' && c <= '9' {
			k = 2 * int(c-'0')
		} else if c != '&' {
			continue
		}
		if k < len(loc) {
			n += loc[k+1] - loc[k]
		}
	}
	return n
}

func appendExpanded(dst, s, repl []byte, loc []int) []byte {
	for i := 0; i < len(repl); i++ {
		c := repl[i]
		if c != '\\' || i+1 == len(repl) {
			dst = append(dst, c)
			continue
		}
		i++
		switch c := repl[i]; {
		case c >= '1' && c <= '9':
			if k := 2 * int(c-'0'); k < len(loc) && loc[k] >= 0 {
				dst = append(dst, s[loc[k]:loc[k+1]]...)
			}
		case c == '&':
			dst = append(dst, s[loc[0]:loc[1]]...)
		case c == '\\':
			dst = append(dst, '\\')
		default:
			dst = append(dst, '\\', c)
		}
	}
	return dst
}
