package javatime

import (
	"slices"
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

// Pattern is a pattern that was read.
type Pattern struct {
	text, layout string // as it was written, and as Go's time has it
	year         bool   // it has a year
	zone         string // how it writes a time zone: z, Z, XXX or not
}

// Read reads a pattern: 0A000 for letters that Go's time cannot say.
func Read(pattern string) (*Pattern, error) {
	p := &Pattern{text: pattern}
	var b strings.Builder
	for i := 0; i < len(pattern); {
		c := pattern[i]
		switch {
		case c == '\'':
			text, n := quoted(pattern[i:])
			if n == 0 {
				return nil, p.refused("'")
			}
			if !plain(text) {
				return nil, p.refused(text)
			}
			b.WriteString(text)
			i += n
			continue
		case c < 'A' || c > 'Z' && c < 'a' || c > 'z':
			if c >= '0' && c <= '9' {
				return nil, p.refused(string(c))
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
			return nil, p.refused(run)
		}
		p.year = p.year || c == 'y'
		if c == 'z' || c == 'Z' || c == 'X' {
			p.zone = run
		}
		b.WriteString(f)
	}
	p.layout = b.String()
	return p, nil
}

// quoted gives the text that a pattern begins with in quotes, and how long it is there: two
// quotes are one, within a text and without. 0 where the text does not end.
func quoted(pattern string) (text string, n int) {
	if strings.HasPrefix(pattern, "''") {
		return "'", 2
	}
	for n = 1; n < len(pattern); n++ {
		switch {
		case pattern[n] != '\'':
			text += pattern[n : n+1]
		case strings.HasPrefix(pattern[n:], "''"):
			text += "'"
			n++
		default:
			return text, n + 1
		}
	}
	return "", 0
}

// plain says that a text stands for itself in Go's layouts.
func plain(text string) bool {
	return time.Date(1987, 11, 29, 19, 47, 58, 0, time.UTC).Format(text) == text
}

func (p *Pattern) refused(part string) error {
	return sqlerr.Unsupported("the date pattern \""+p.text+"\" is not supported: "+part,
		"The letters y, M, d, E, H, h, m, s, .SSS, a, z, Z and XXX are known, and texts in single quotes.")
}

// Format writes a time by a pattern, as Append does.
func Format(dst []byte, micros int64, pattern string, zone *time.Location) ([]byte, error) {
	p, err := Read(pattern)
	if err != nil {
		return dst, err
	}
	return p.Append(dst, micros, zone)
}

// Parse reads a time by a pattern, as Pattern.Parse does.
func Parse(text, pattern string, zone *time.Location) (micros int64, err error) {
	p, err := Read(pattern)
	if err != nil {
		return 0, err
	}
	return p.Parse(text, zone)
}

// gmt is Phoenix's name for what Go calls UTC.
var gmt = time.FixedZone("GMT", 0)

// Append writes a time, in µs since the Unix epoch; one in time.UTC is of the zone GMT. 0A000
// for z in a zone that has no abbreviation here.
func (p *Pattern) Append(dst []byte, micros int64, zone *time.Location) ([]byte, error) {
	if zone == time.UTC {
		zone = gmt
	}
	at := time.UnixMicro(micros).In(zone)
	if p.zone == "z" {
		if name, _ := at.Zone(); strings.ContainsAny(name, "+-0123456789") {
			return dst, sqlerr.Unsupported("time zone "+zone.String()+" has no abbreviation that is known here", "Use Z or XXX in the place of z.")
		}
	}
	return at.AppendFormat(dst, p.layout), nil
}

// Parse reads a time, in µs since the Unix epoch: 22007 where the text does not follow the
// pattern. As in Java, what follows behind it is left alone, a pattern without a year is about
// 1970, of two times at which a clock showed the same it is the later one, and a time that it
// never showed is counted from before. A name of a time zone is GMT, UTC, or one of zone's own.
func (p *Pattern) Parse(text string, zone *time.Location) (micros int64, err error) {
	layout, value, in := p.layout, text, zone
	if !p.year {
		layout, value = "2006 "+layout, "1970 "+text
	}
	if p.zone == "" {
		in = time.UTC
	}
	t, err := time.ParseInLocation(layout, value, in)
	if pe, ok := err.(*time.ParseError); ok && strings.HasPrefix(pe.Message, ": extra text") {
		t, err = time.ParseInLocation(layout, strings.TrimSuffix(value, pe.ValueElem), in)
	}
	switch {
	case err != nil || p.zone == "z" && !named(t, zone):
		return 0, sqlerr.New(sqlerr.InvalidDatetimeFormat, "invalid value %q for the date pattern %q", text, p.text)
	case p.zone == "":
		t = shown(t, zone)
	}
	return t.UnixMicro(), nil
}

// shown is when a clock in zone shows what one in UTC shows at t.
func shown(t time.Time, zone *time.Location) time.Time {
	const day = 24 * time.Hour // changes of an offset are further apart
	by := func(near time.Time) time.Time {
		_, offset := near.In(zone).Zone()
		return t.Add(-time.Duration(offset) * time.Second)
	}
	before, after := by(t.Add(-day)), by(t.Add(day))
	if _, offset := after.In(zone).Zone(); after.Add(time.Duration(offset) * time.Second).Equal(t) {
		return after
	}
	return before
}

// named says that a time was read with the name of a zone that is known: Go makes up a zone of
// no offset for others.
func named(t time.Time, zone *time.Location) bool {
	name, _ := t.Zone()
	return slices.Contains([]string{"GMT", "UTC"}, name) || t.Location() == zone
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
