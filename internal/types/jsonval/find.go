package jsonval

import (
	"bytes"
	"iter"
)

// Parts of a JSON text that is known to be valid are found without a tree of it: what is looked
// for is the text itself, and what lies before it is passed over. Of a text that is not valid
// they give some part of it, or nil.

// KindOf is the kind of a text's value.
func KindOf(s []byte) Kind {
	switch c := at(s, blanks(s, 0)); c {
	case '{':
		return Object
	case '[':
		return Array
	case '"':
		return String
	case 't', 'f':
		return Bool
	case 'n', 0:
		return Null
	}
	return Number
}

// FindMember gives the text of an object's member, nil where there is none: the last of its name, or
// where each is there once, as in a jsonb's text, the first.
func FindMember(s, name []byte, once bool) (part []byte) {
	i := blanks(s, 0)
	if at(s, i) != '{' {
		return nil
	}
	for i = blanks(s, i+1); at(s, i) == '"'; i = blanks(s, i+1) {
		end := behindString(s, i)
		is := isString(s[i:end], name)
		i = blanks(s, end)
		if at(s, i) != ':' {
			return nil
		}
		i = blanks(s, i+1)
		if end = behind(s, i); is {
			if part = s[i:end]; once {
				return part
			}
		}
		if i = blanks(s, end); at(s, i) != ',' {
			break
		}
	}
	return part
}

// FindElement gives the text of an array's element, counting from the end if negative; nil if there
// is none.
func FindElement(s []byte, n int) []byte {
	if n < 0 {
		if n += CountElements(s); n < 0 {
			return nil
		}
	}
	for part := range elements(s) {
		if n == 0 {
			return part
		}
		n--
	}
	return nil
}

// CountElements counts an array's elements.
func CountElements(s []byte) (n int) {
	for range elements(s) {
		n++
	}
	return n
}

// HasKey says that a jsonb has a string at its top: a member's name, an element, or itself.
func HasKey(s, key []byte) bool {
	switch KindOf(s) {
	case Object:
		return FindMember(s, key, true) != nil
	case Array:
		for part := range elements(s) {
			if KindOf(part) == String && isString(part, key) {
				return true
			}
		}
		return false
	case String:
		return isString(bytes.TrimSpace(s), key)
	}
	return false
}

// elements gives the texts of an array's elements.
func elements(s []byte) iter.Seq[[]byte] {
	return func(yield func([]byte) bool) {
		i := blanks(s, 0)
		if at(s, i) != '[' {
			return
		}
		for i = blanks(s, i+1); i < len(s) && s[i] != ']'; i = blanks(s, i+1) {
			end := behind(s, i)
			if !yield(s[i:end]) {
				return
			}
			if i = blanks(s, end); at(s, i) != ',' {
				return
			}
		}
	}
}

// TextOf gives the characters of a string, and of another value its text.
func TextOf(s []byte) []byte {
	if at(s, 0) != '"' || len(s) < 2 {
		return s
	}
	in := s[1 : len(s)-1]
	if bytes.IndexByte(in, '\\') < 0 {
		return in
	}
	l := lexer{s: string(s), decode: true}
	if l.readString(1) != nil {
		return s
	}
	return []byte(l.str)
}

// isString says that a string has the characters of name.
func isString(s, name []byte) bool {
	if len(s) < len(name)+2 {
		return false // an escape is no shorter than what it stands for
	}
	in := s[1 : len(s)-1]
	if bytes.Equal(in, name) {
		return bytes.IndexByte(in, '\\') < 0
	}
	return bytes.IndexByte(in, '\\') >= 0 && bytes.Equal(TextOf(s), name)
}

// at is the byte at i, 0 behind the end.
func at(s []byte, i int) byte {
	if i < len(s) {
		return s[i]
	}
	return 0
}

// blanks passes over blanks.
func blanks(s []byte, i int) int {
	for i < len(s) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n' || s[i] == '\r') {
		i++
	}
	return i
}

// ends are what ends a number or a word.
var ends = [256]bool{',': true, ':': true, ']': true, '}': true, ' ': true, '\t': true, '\n': true, '\r': true}

// behind is where the value that begins at i has ended.
func behind(s []byte, i int) int {
	depth := 0
	for i < len(s) {
		switch s[i] {
		case '"':
			i = behindString(s, i)
		case '{', '[':
			depth++
			i++
		case '}', ']':
			depth--
			i++
		case ',', ':', ' ', '\t', '\n', '\r':
			i++
		default:
			for i++; i < len(s) && !ends[s[i]]; i++ {
			}
		}
		if depth <= 0 {
			break
		}
	}
	return i
}

// behindString is behind of a string.
func behindString(s []byte, i int) int {
	for i++; i < len(s); i++ {
		switch s[i] {
		case '"':
			return i + 1
		case '\\':
			i++
		}
	}
	return len(s)
}
