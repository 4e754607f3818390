package regex

// AppendReplace appends s with matches replaced: from offset from on, the n-th
// match only, or all of them if n is 0. In repl, \1 to \9 stand for captures,
// \& for the match and \\ for a backslash.
func (re *Regex) AppendReplace(dst, s, repl []byte, from, n int) []byte {
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
		dst = append(dst, s[done:loc[0]]...)
		dst = appendExpanded(dst, s, repl, loc)
		done = loc[1]
		if n > 0 {
			break
		}
	}
	return append(dst, s[done:]...)
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
