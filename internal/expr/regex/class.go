package regex

import (
	"sync"
	"unicode"
)

// Character classes of the locale C.UTF-8: digit, xdigit and blank are ASCII
// only, the digits of other scripts are alpha, no-break spaces are punct.

// isAlpha, isSpace and isPrint decide the other classes.
func isAlpha(c rune) bool {
	return unicode.IsLetter(c) || c > 0x7f && (unicode.Is(unicode.Nl, c) || unicode.Is(unicode.Nd, c) || unicode.Is(unicode.Other_Alphabetic, c))
}

func isSpace(c rune) bool {
	if c == 0xA0 || c == 0x2007 || c == 0x202F || c == 0x85 {
		return false
	}
	return unicode.IsSpace(c)
}

func isCntrl(c rune) bool { return unicode.Is(unicode.Cc, c) }

func isPrint(c rune) bool {
	return !isCntrl(c) && (unicode.In(c, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Zs, unicode.Cf, unicode.Co))
}

func isAlnum(c rune) bool { return isAlpha(c) || c >= '0' && c <= '9' }
func isWord(c rune) bool  { return isAlnum(c) || c == '_' }
func isGraph(c rune) bool { return isPrint(c) && !isSpace(c) }

var classPredicates = map[string]func(rune) bool{
	"alnum": isAlnum,
	"alpha": isAlpha,
	"ascii": func(c rune) bool { return c < 0x80 },
	"blank": func(c rune) bool { return c == '\t' || c == ' ' },
	"cntrl": isCntrl,
	"digit": func(c rune) bool { return c >= '0' && c <= '9' },
	"graph": isGraph,
	"lower": func(c rune) bool {
		return unicode.In(c, unicode.Ll, unicode.Other_Lowercase) || unicode.ToUpper(c) != c && !unicode.IsUpper(c)
	},
	"print": isPrint,
	"punct": func(c rune) bool { return isGraph(c) && !isAlnum(c) },
	"space": isSpace,
	"upper": func(c rune) bool {
		return unicode.In(c, unicode.Lu, unicode.Other_Uppercase) || unicode.ToLower(c) != c
	},
	"xdigit": func(c rune) bool {
		return c >= '0' && c <= '9' || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F'
	},
	"word": isWord,
}

var classSets sync.Map // name -> set

// class gives a named class; nil if there is none.
func class(name string) set {
	if s, ok := classSets.Load(name); ok {
		return s.(set)
	}
	in := classPredicates[name]
	if in == nil {
		return nil
	}
	var s set
	for c := rune(0); c <= maxRune; c++ {
		if !in(c) {
			continue
		}
		if n := len(s); n > 0 && s[n-1].hi == c-1 {
			s[n-1].hi = c
		} else {
			s = append(s, span{c, c})
		}
	}
	classSets.Store(name, s)
	return s
}

// collating are the names that [.name.] takes besides a character itself.
var collating = map[string]rune{
	"NUL": 0, "SOH": 1, "STX": 2, "ETX": 3, "EOT": 4, "ENQ": 5, "ACK": 6, "BEL": 7, "alert": 7,
	"BS": 8, "backspace": '\b', "HT": 9, "tab": '\t', "LF": 10, "newline": '\n', "VT": 11, "vertical-tab": '\v',
	"FF": 12, "form-feed": '\f', "CR": 13, "carriage-return": '\r', "SO": 14, "SI": 15, "DLE": 16,
	"DC1": 17, "DC2": 18, "DC3": 19, "DC4": 20, "NAK": 21, "SYN": 22, "ETB": 23, "CAN": 24, "EM": 25,
	"SUB": 26, "ESC": 27, "IS4": 28, "FS": 28, "IS3": 29, "GS": 29, "IS2": 30, "RS": 30, "IS1": 31, "US": 31,
	"space": ' ', "exclamation-mark": '!', "quotation-mark": '"', "number-sign": '#', "dollar-sign": '$',
	"percent-sign": '%', "ampersand": '&', "apostrophe": '\'', "left-parenthesis": '(', "right-parenthesis": ')',
	"asterisk": '*', "plus-sign": '+', "comma": ',', "hyphen": '-', "hyphen-minus": '-', "period": '.',
	"full-stop": '.', "slash": '/', "solidus": '/', "zero": '0', "one": '1', "two": '2', "three": '3', "four": '4',
	"five": '5', "six": '6', "seven": '7', "eight": '8', "nine": '9', "colon": ':', "semicolon": ';',
	"less-than-sign": '<', "equals-sign": '=', "greater-than-sign": '>', "question-mark": '?', "commercial-at": '@',
	"left-square-bracket": '[', "backslash": '\\', "reverse-solidus": '\\', "right-square-bracket": ']',
	"circumflex": '^', "circumflex-accent": '^', "underscore": '_', "low-line": '_', "grave-accent": '`',
	"left-brace": '{', "left-curly-bracket": '{', "vertical-line": '|', "right-brace": '}', "right-curly-bracket": '}',
	"tilde": '~', "DEL": 127,
}
