package javatime

import (
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Default is the pattern of who gives none.
const Default = "yyyy-MM-dd HH:mm:ss.SSS"

// fields are the runs of letters that are known, in Go's terms.
var fields = map[string]string{
	"yyyy": "2006", "yy": "06", "y": "2006", "MMMM": "January", "MMM": "Jan", "MM": "01", "M": "1", "dd": "02", "d": "2",
	"EEEE": "Monday", "EEE": "Mon", "E": "Mon", "HH": "15", "hh": "03", "h": "3", "mm": "04", "m": "4", "ss": "05", "s": "5",
	"a": "PM", "z": "MST", "Z": "-0700", "XXX": "Z07:00", "DDD": "002",
}

// Layout gives a pattern as Go's time has it: 0A000 for letters that it cannot say.
func Layout(pattern string) (string, error) {
	var b strings.Builder
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c == '\'':
			end := strings.IndexByte(pattern[i+1:], '\'')
			if end < 0 {
				return "", refused(pattern, "'")
			}
			text := pattern[i+1 : i+1+end]
			if end == 0 {
				text = "'"
			}
			if !plain(text) {
				return "", refused(pattern, text)
			}
			b.WriteString(text)
			i += end + 2
			continue
		case c < 'A' || c > 'Z' && c < 'a' || c > 'z':
			if c >= '0' && c <= '9' {
				return "", refused(pattern, string(c))
			}
			b.WriteByte(c)
			i++
			continue
		}
		n := 1
		for i+n < len(pattern) && pattern[i+n] == c {
			n++
		}
		run := pattern[i : i+n]
		i += n
		if run == "SSS" && strings.HasSuffix(b.String(), ".") {
			b.WriteString("000")
			continue
		}
		f, ok := fields[run]
		if !ok {
			return "", refused(pattern, run)
		}
		b.WriteString(f)
	}
	return b.String(), nil
}

// plain says that a text stands for itself in Go's layouts.
func plain(text string) bool {
	return time.Date(1987, 11, 29, 19, 47, 58, 0, time.UTC).Format(text) == text
}

func refused(pattern, part string) error {
	return sqlerr.Unsupported("the date pattern \""+pattern+"\" is not supported: "+part,
		"The letters y, M, d, E, H, h, m, s, .SSS, a, z, Z and XXX are known, and texts in single quotes.")
}

// Format writes a time, in µs since the Unix epoch.
func Format(dst []byte, micros int64, pattern string, zone *time.Location) ([]byte, error) {
	layout, err := Layout(pattern)
	if err != nil {
		return dst, err
	}
	return time.UnixMicro(micros).In(zone).AppendFormat(dst, layout), nil
}

// Parse reads a time: 22007 where the text does not follow the pattern. As in Java, what
// follows behind it is left alone.
func Parse(text, pattern string, zone *time.Location) (micros int64, err error) {
	layout, err := Layout(pattern)
	if err != nil {
		return 0, err
	}
	t, err := time.ParseInLocation(layout, text, zone)
	if pe, ok := err.(*time.ParseError); ok && strings.HasPrefix(pe.Message, ": extra text") {
		t, err = time.ParseInLocation(layout, strings.TrimSuffix(text, pe.ValueElem), zone)
	}
	if err != nil {
		return 0, sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid value %q for the date pattern %q", text, pattern)
	}
	return t.UnixMicro(), nil
}

// Zone finds a time zone by its name; GMT+1 and the like too.
func Zone(name string) (*time.Location, error) {
	if rest, ok := strings.CutPrefix(name, "GMT"); ok && rest != "" {
		for _, layout := range []string{"-07:00", "-0700", "-07"} {
			at := rest
			if len(at) == 2 {
				at = at[:1] + "0" + at[1:]
			}
			if t, err := time.Parse(layout, at); err == nil {
				return t.Location(), nil
			}
		}
	}
	zone, err := time.LoadLocation(name)
	if err != nil || name == "Local" {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, "time zone %q not recognized", name)
	}
	return zone, nil
}
