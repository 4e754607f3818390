package pgregress

import (
	"strings"
)

// script is a file as psql reads it.
type script struct {
	rest string
	vars map[string]string
}

// statement is one of a script.
type statement struct {
	text string
	data string // of COPY … FROM STDIN
}

// next gives the next statement; ok is false at the end.
func (s *script) next() (st statement, ok bool) {
	var b strings.Builder
	depth := 0
	for s.rest != "" {
		n := token(s.rest)
		word := s.rest[:n]
		switch {
		case word == "\n" || word == " " || word == "\t" || strings.HasPrefix(word, "--") || strings.HasPrefix(word, "/*"):
			s.rest = s.rest[n:]
			if b.Len() > 0 {
				b.WriteByte(' ')
			}
			continue
		case word == `\`:
			line, rest, _ := strings.Cut(s.rest, "\n")
			s.rest = rest
			command, args, _ := strings.Cut(line[1:], " ")
			s.command(command, strings.Fields(args))
			if text := strings.TrimSpace(b.String()); text != "" && command != ";" { // \g, \gset, \gexec …: the statement ends
				return s.ended(text), true
			}
			b.Reset()
			continue
		case word == "(":
			depth++
		case word == ")":
			depth--
		case word == ";" && depth <= 0:
			s.rest = s.rest[n:]
			if text := strings.TrimSpace(b.String()); text != "" {
				return s.ended(text), true
			}
			continue
		case word[0] == ':' && len(word) > 1:
			name := strings.Trim(word[1:], `'"`)
			if v, found := s.vars[name]; found {
				if word[1] == '\'' {
					v = "'" + strings.ReplaceAll(v, "'", "''") + "'"
				}
				word = v
			}
		}
		b.WriteString(word)
		s.rest = s.rest[n:]
	}
	text := strings.TrimSpace(b.String())
	return statement{text: text}, text != ""
}

// ended takes the data of a COPY from the script.
func (s *script) ended(text string) statement {
	st := statement{text: text}
	words := strings.Fields(strings.ToLower(text))
	if len(words) == 0 || words[0] != "copy" || !strings.Contains(strings.Join(words, " "), "from stdin") {
		return st
	}
	_, s.rest, _ = strings.Cut(s.rest, "\n")
	st.data, s.rest, _ = strings.Cut("\n"+s.rest, "\n\\.\n")
	st.data = strings.TrimPrefix(st.data, "\n") + "\n"
	return st
}

// command runs those of psql's that name things for statements.
func (s *script) command(name string, args []string) {
	if name != "set" || len(args) == 0 {
		return
	}
	var v strings.Builder
	for _, a := range args[1:] {
		if known, ok := s.vars[strings.TrimPrefix(a, ":")]; ok && a[0] == ':' {
			a = known
		}
		v.WriteString(strings.Trim(a, "'"))
	}
	s.vars[args[0]] = v.String()
}

// token is the length of the first token of a text that is not empty: a literal, a quoted name, a
// comment, a word, a psql variable, or one byte.
func token(s string) int {
	until := func(from int, end string) int {
		if i := strings.Index(s[from:], end); i >= 0 {
			return from + i + len(end)
		}
		return len(s)
	}
	quoted := func(from int, q byte, escapes bool) int {
		for i := from; i < len(s); i++ {
			switch {
			case escapes && s[i] == '\\':
				i++
			case s[i] == q && i+1 < len(s) && s[i+1] == q:
				i++
			case s[i] == q:
				return i + 1
			}
		}
		return len(s)
	}
	switch c := s[0]; {
	case strings.HasPrefix(s, "--"):
		return max(until(0, "\n")-1, 2)
	case strings.HasPrefix(s, "/*"):
		depth, i := 1, 2
		for ; i < len(s) && depth > 0; i++ {
			switch {
			case strings.HasPrefix(s[i:], "/*"):
				depth++
				i++
			case strings.HasPrefix(s[i:], "*/"):
				depth--
				i++
			}
		}
		return i
	case c == '\'' || c == '"':
		return quoted(1, c, false)
	case (c == 'E' || c == 'e') && len(s) > 1 && s[1] == '\'':
		return quoted(2, '\'', true)
	case c == '$':
		n := 1 + word(s[1:])
		if n < len(s) && s[n] == '$' && (n == 1 || s[1] < '0' || s[1] > '9') {
			return until(n+1, s[:n+1])
		}
		return max(n, 1)
	case c == ':' && len(s) > 1 && s[1] == ':':
		return 2
	case c == ':' && len(s) > 2 && (s[1] == '\'' || s[1] == '"') && word(s[2:]) > 0:
		n := 2 + word(s[2:])
		if n < len(s) && s[n] == s[1] {
			return n + 1
		}
		return 1
	case c == ':':
		return 1 + word(s[1:])
	}
	return max(word(s), 1)
}

// word is the length of the letters, digits and underscores that s begins with.
func word(s string) int {
	for i := range len(s) {
		if c := s[i]; c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z') && c < 0x80 {
			return i
		}
	}
	return len(s)
}
