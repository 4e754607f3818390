package tochar

import (
	"strings"
	"unicode/utf8"
)

type nodeKind uint8

const (
	nodeField nodeKind = iota
	nodeChar
	nodeSpace
	nodeSeparator
)

// dateNode is one pattern of a template with its modifiers, or one character.
type dateNode struct {
	kind  nodeKind
	key   keyword
	fill  bool // FM: no padding
	local bool // TM
	th    ordinal
	char  string
}

// ordinal is the ending asked for by TH or th.
type ordinal uint8

const (
	noOrdinal ordinal = iota
	upperOrdinal
	lowerOrdinal
)

// DateFormat is a template of dates and times.
type DateFormat struct {
	nodes []dateNode
	empty bool // the template is the empty text
}

var dateCache cache[*DateFormat]

// Dates parses a template; every text is one.
func Dates(template []byte) *DateFormat {
	if f, ok := dateCache.get(template); ok {
		return f
	}
	f := parseDates(string(template))
	dateCache.put(template, f)
	return f
}

func parseDates(s string) *DateFormat {
	f := &DateFormat{empty: s == ""}
	for s != "" {
		var n dateNode
		switch {
		case strings.HasPrefix(s, "FM"), strings.HasPrefix(s, "fm"):
			n.fill = true
			s = s[2:]
		case strings.HasPrefix(s, "TM"), strings.HasPrefix(s, "tm"):
			n.local = true
			s = s[2:]
		}
		if s == "" {
			break
		}
		if k, ok := findKeyword(s); ok {
			n.key = k
			s = s[len(k.name):]
			switch {
			case strings.HasPrefix(s, "TH"):
				n.th = upperOrdinal
				s = s[2:]
			case strings.HasPrefix(s, "th"):
				n.th = lowerOrdinal
				s = s[2:]
			case strings.HasPrefix(s, "SP"):
				s = s[2:] // spelled-out numbers: Postgres takes and ignores it
			}
			f.nodes = append(f.nodes, n)
			continue
		}
		s = f.text(s)
	}
	return f
}

func findKeyword(s string) (keyword, bool) {
	for _, k := range dateKeywords {
		if strings.HasPrefix(s, k.name) {
			return k, true
		}
	}
	return keyword{}, false
}

// text takes a quoted string or one character off s.
func (f *DateFormat) text(s string) string {
	if s[0] == '"' {
		return quoted(s, func(c string) { f.nodes = append(f.nodes, dateNode{kind: nodeChar, char: c}) })
	}
	s = unescape(s)
	_, n := utf8.DecodeRuneInString(s)
	kind := nodeChar
	switch {
	case isSeparator(s[0]):
		kind = nodeSeparator
	case isSpace(s[0]):
		kind = nodeSpace
	}
	f.nodes = append(f.nodes, dateNode{kind: kind, char: s[:n]})
	return s[n:]
}

// quoted gives out the characters of "…" and returns what follows. A backslash
// takes the next character as it is.
func quoted(s string, emit func(string)) string {
	s = s[1:]
	for s != "" {
		if s[0] == '"' {
			return s[1:]
		}
		if s[0] == '\\' && len(s) > 1 {
			s = s[1:]
		}
		_, n := utf8.DecodeRuneInString(s)
		emit(s[:n])
		s = s[n:]
	}
	return s
}

// unescape drops a backslash before a quote outside of quotes.
func unescape(s string) string {
	if strings.HasPrefix(s, `\"`) {
		return s[1:]
	}
	return s
}

func isSeparator(c byte) bool {
	return c > 0x20 && c < 0x7f && !isDigit(c) && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z')
}

func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
