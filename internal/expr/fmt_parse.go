package expr

import (
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Templates of to_char, to_date and to_timestamp.

// fmtNode is a field of a template, or literal text.
type fmtNode struct {
	key    string // canonical, upper case; "" is literal text
	style  string // as written, for the case of names
	text   string
	fill   bool // FM: no padding
	th     string
	quoted bool
}

// fmtKeys lists the fields, longer before shorter ones that begin them.
var fmtKeys = []string{
	"A.D.", "A.M.", "AD", "AM", "B.C.", "BC", "CC", "DAY", "DDD", "DD", "DY", "D",
	"FF1", "FF2", "FF3", "FF4", "FF5", "FF6", "HH24", "HH12", "HH", "IDDD", "ID", "IW", "IYYY", "IYY", "IY", "I",
	"J", "MI", "MM", "MONTH", "MON", "MS", "OF", "P.M.", "PM", "Q", "RM", "SSSSS", "SSSS", "SS",
	"TZH", "TZM", "TZ", "US", "WW", "W", "Y,YYY", "YYYY", "YYY", "YY", "Y",
}

// mixedKeys may also be written with one capital.
var mixedKeys = map[string]string{"DAY": "Day", "DY": "Dy", "MONTH": "Month", "MON": "Mon"}

func matchKey(s string) (key, style string) {
	for _, k := range fmtKeys {
		if len(s) < len(k) {
			continue
		}
		w := s[:len(k)]
		if w == k || w == strings.ToLower(k) || mixedKeys[k] != "" && w == mixedKeys[k] {
			return k, w
		}
	}
	return "", ""
}

func parseTimeFormat(s string) ([]fmtNode, error) {
	var out []fmtNode
	literal := func(t string, quoted bool) {
		if n := len(out); n > 0 && out[n-1].key == "" && out[n-1].quoted == quoted {
			out[n-1].text += t
			return
		}
		out = append(out, fmtNode{text: t, quoted: quoted})
	}
	for i := 0; i < len(s); {
		fill := false
		j := i
		for {
			p := strings.ToUpper(s[j:min(j+2, len(s))])
			if p == "FM" || p == "TM" {
				fill = fill || p == "FM"
				j += 2
				continue
			}
			break
		}
		if key, style := matchKey(s[j:]); key != "" {
			n := fmtNode{key: key, style: style, fill: fill}
			j += len(key)
			if t := s[j:min(j+2, len(s))]; t == "TH" || t == "th" {
				n.th = t
				j += 2
			} else if t == "SP" {
				return nil, sqlerr.Unsupported("the template modifier SP is not supported", "Spell numbers in the client.")
			}
			out = append(out, n)
			i = j
			continue
		}
		if p := s[i:min(i+2, len(s))]; p == "FX" {
			i += 2
			continue
		}
		switch c := s[i]; {
		case c == '"':
			i++
			for i < len(s) && s[i] != '"' {
				if s[i] == '\\' && i+1 < len(s) {
					i++
				}
				literal(s[i:i+1], true)
				i++
			}
			i++
		case c == '\\' && i+1 < len(s) && s[i+1] == '"':
			literal(`"`, false)
			i += 2
		default:
			_, n := utf8.DecodeRuneInString(s[i:])
			literal(s[i:i+n], false)
			i += n
		}
	}
	return out, nil
}
