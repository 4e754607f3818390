package datetime

import "strings"

type tokenKind uint8

const (
	tokNumber  tokenKind = iota // digits, perhaps with a point
	tokDate                     // parts joined by - / or .
	tokTime                     // parts joined by :
	tokString                   // letters
	tokZone                     // sign and digits
	tokSpecial                  // sign and letters
)

type token struct {
	kind tokenKind
	s    string // lower case
}

const maxTokens = 25

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isAlpha(c byte) bool { return c >= 'a' && c <= 'z' }
func isSpace(c byte) bool { return c == ' ' || c >= '\t' && c <= '\r' }

func isPunct(c byte) bool {
	return c > ' ' && c < 0x7f && !isDigit(c) && !isAlpha(c)
}

// tokenize splits date and time text as ParseDateTime does.
func tokenize(in string) ([]token, bool) {
	s := strings.ToLower(in)
	var toks []token
	i := 0
	span := func(ok func(byte) bool) {
		for i < len(s) && ok(s[i]) {
			i++
		}
	}
	for i < len(s) {
		c := s[i]
		start := i
		kind := tokNumber
		switch {
		case isSpace(c):
			i++
			continue
		case isDigit(c):
			kind = scanNumber(s, &i)
		case c == '.':
			i++
			span(isDigit)
			if i == start+1 {
				continue
			}
		case isAlpha(c):
			kind = tokString
			span(isAlpha)
			if i < len(s) {
				joined := s[i] == '-' || s[i] == '/' || s[i] == '.'
				if s[i] == '+' || isDigit(s[i]) {
					joined = !isKeyword(s[start:i])
				}
				if joined {
					kind = tokDate
					span(func(c byte) bool {
						return isDigit(c) || isAlpha(c) || strings.IndexByte("+-/_.:", c) >= 0
					})
				}
			}
		case c == '+' || c == '-':
			i++
			span(isSpace)
			body := i
			switch {
			case i < len(s) && isDigit(s[i]):
				kind = tokZone
				span(func(c byte) bool { return isDigit(c) || c == ':' || c == '.' || c == '-' })
			case i < len(s) && isAlpha(s[i]):
				kind = tokSpecial
				span(isAlpha)
			default:
				return nil, false
			}
			toks = append(toks, token{kind, s[start:start+1] + s[body:i]})
			continue
		case isPunct(c):
			i++
			continue
		default:
			return nil, false
		}
		if len(toks) >= maxTokens {
			return nil, false
		}
		toks = append(toks, token{kind, s[start:i]})
	}
	return toks, true
}

// scanNumber reads a token that starts with a digit.
func scanNumber(s string, pi *int) tokenKind {
	i := *pi
	defer func() { *pi = i }()
	digits := func() {
		for i < len(s) && isDigit(s[i]) {
			i++
		}
	}
	digits()
	if i >= len(s) {
		return tokNumber
	}
	switch delim := s[i]; delim {
	case ':':
		for i < len(s) && (isDigit(s[i]) || s[i] == ':' || s[i] == '.') {
			i++
		}
		return tokTime
	case '-', '/', '.':
		i++
		if i < len(s) && isDigit(s[i]) {
			digits()
			if i < len(s) && s[i] == delim {
				for i < len(s) && (isDigit(s[i]) || s[i] == delim) {
					i++
				}
				return tokDate
			}
			if delim == '.' {
				return tokNumber
			}
			return tokDate
		}
		for i < len(s) && (isDigit(s[i]) || isAlpha(s[i]) || s[i] == delim) {
			i++
		}
		return tokDate
	}
	return tokNumber
}

type wordKind uint8

const (
	wordNone wordKind = iota
	wordMonth
	wordDow
	wordAmPm // 0 AM, 1 PM
	wordAdBc // 0 AD, 1 BC
	wordSpecial
	wordIgnore
	wordISOTime
	wordJulian
)

// Special date words.
const (
	spNow = iota
	spToday
	spTomorrow
	spYesterday
	spEpoch
	spInfinity
	spNegInfinity
	spAllballs
)

type word struct {
	kind wordKind
	val  int
}

var words = map[string]word{
	"january": {wordMonth, 1}, "february": {wordMonth, 2}, "march": {wordMonth, 3}, "april": {wordMonth, 4},
	"may": {wordMonth, 5}, "june": {wordMonth, 6}, "july": {wordMonth, 7}, "august": {wordMonth, 8},
	"september": {wordMonth, 9}, "october": {wordMonth, 10}, "november": {wordMonth, 11}, "december": {wordMonth, 12},
	"jan": {wordMonth, 1}, "feb": {wordMonth, 2}, "mar": {wordMonth, 3}, "apr": {wordMonth, 4},
	"jun": {wordMonth, 6}, "jul": {wordMonth, 7}, "aug": {wordMonth, 8}, "sep": {wordMonth, 9}, "sept": {wordMonth, 9},
	"oct": {wordMonth, 10}, "nov": {wordMonth, 11}, "dec": {wordMonth, 12},
	"sunday": {wordDow, 0}, "monday": {wordDow, 1}, "tuesday": {wordDow, 2}, "wednesday": {wordDow, 3},
	"thursday": {wordDow, 4}, "friday": {wordDow, 5}, "saturday": {wordDow, 6},
	"sun": {wordDow, 0}, "mon": {wordDow, 1}, "tue": {wordDow, 2}, "tues": {wordDow, 2}, "wed": {wordDow, 3}, "weds": {wordDow, 3},
	"thu": {wordDow, 4}, "thur": {wordDow, 4}, "thurs": {wordDow, 4}, "fri": {wordDow, 5}, "sat": {wordDow, 6},
	"am": {wordAmPm, 0}, "pm": {wordAmPm, 1},
	"ad": {wordAdBc, 0}, "bc": {wordAdBc, 1},
	"now": {wordSpecial, spNow}, "today": {wordSpecial, spToday}, "tomorrow": {wordSpecial, spTomorrow},
	"yesterday": {wordSpecial, spYesterday}, "epoch": {wordSpecial, spEpoch}, "infinity": {wordSpecial, spInfinity},
	"-infinity": {wordSpecial, spNegInfinity}, "allballs": {wordSpecial, spAllballs},
	"at": {wordIgnore, 0}, "on": {wordIgnore, 0}, "t": {wordISOTime, 0},
	"j": {wordJulian, 0}, "jd": {wordJulian, 0}, "julian": {wordJulian, 0},
}

func isKeyword(s string) bool {
	_, ok := words[s]
	return ok
}

// month finds a month by its name or the first three letters of it.
func month(s string) (int, bool) {
	w, ok := words[s]
	return w.val, ok && w.kind == wordMonth
}
