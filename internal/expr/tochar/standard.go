package tochar

import (
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
)

// StandardFormat is a template as SQL/JSON paths take it: its separators are few, and stand
// for themselves.
type StandardFormat struct {
	f                   *DateFormat
	dated, timed, zoned bool
}

// Moment is what a StandardFormat reads: a date, a time with or without a zone, or a
// timestamp with or without one, as Kind (and Zoned, of times) says.
type Moment struct {
	Kind  types.Kind // Date, Time, Timestamp or Timestamptz
	Zoned bool       // a time with a zone, which is no type of values
	V     int64      // as values of Kind; a zoned time is that of its own zone
	Zone  int64      // offset in seconds, where there is one
}

const standardSeparators = "-./,':; "

// StandardDates parses a template: 22007 for a separator that the standard has not.
func StandardDates(template string) (*StandardFormat, error) {
	for i := 0; i < len(template); {
		n, err := standardPart(template[i:])
		if err != nil {
			return nil, err
		}
		i += n
	}
	s := &StandardFormat{f: Dates([]byte(template))}
	for i := range s.f.nodes {
		if n := &s.f.nodes[i]; n.kind == nodeField {
			switch n.key.field {
			case fFX:
			case fTZ, fTZH, fTZM, fOF:
				s.zoned = true
			case fAM, fAMDots, fHH12, fHH24, fMI, fSS, fSSSS, fMS, fUS, fFraction:
				s.timed = true
			default:
				s.dated = true
			}
		}
	}
	return s, nil
}

// standardPart gives the length of what stands first in a template.
func standardPart(s string) (int, error) {
	start := len(s)
	for _, prefix := range []string{"FM", "fm", "TM", "tm"} {
		if rest, ok := strings.CutPrefix(s, prefix); ok {
			s = rest
			break
		}
	}
	if s == "" {
		return start, nil
	}
	if k, ok := findKeyword(s); ok {
		s = s[len(k.name):]
		for _, suffix := range []string{"TH", "th", "SP"} {
			if rest, ok := strings.CutPrefix(s, suffix); ok {
				s = rest
				break
			}
		}
		return start - len(s), nil
	}
	if s[0] == '"' {
		return start - len(quoted(s, func(string) {})), nil
	}
	if strings.IndexByte(standardSeparators, s[0]) < 0 {
		_, n := utf8.DecodeRuneInString(s)
		return 0, badFormat(`invalid datetime format separator: "%s"`, s[:n])
	}
	return start - len(s) + 1, nil
}

// match takes what a character of the template stands for, which is itself.
func (r *reader) match(n *dateNode) error {
	if strings.HasPrefix(r.rest(), n.char) {
		r.pos += len(n.char)
		return nil
	}
	if n.kind == nodeChar {
		return badFormat(`unmatched format character "%s"`, n.char)
	}
	return badFormat(`unmatched format separator "%s"`, n.char)
}

// Read reads the whole of s. Errors as for ToDate.
func (s *StandardFormat) Read(text string) (Moment, error) {
	if s.f.empty {
		return Moment{}, badFormat("datetime format is not dated and not timed")
	}
	r := reader{f: s.f, s: text, fx: true, std: true}
	if err := r.read(); err != nil {
		return Moment{}, err
	}
	if r.left {
		return Moment{}, badFormat("input string is too short for datetime format")
	}
	if r.spaces(); r.pos < len(r.s) {
		return Moment{}, badFormat("trailing characters remain in input string after datetime format")
	}
	j, err := r.out.join(text)
	if err != nil {
		return Moment{}, err
	}
	switch {
	case s.dated && s.timed:
		return j.timestamp(s.zoned)
	case s.dated && s.zoned:
		return Moment{}, badFormat("datetime format is zoned but not timed")
	case s.dated:
		d := julian(j.year, j.month, j.day) - julianEpoch
		if j.year < minYear || j.year > maxYear || !datetime.ValidDate(d) {
			return Moment{}, sqlerr.New(sqlerr.DatetimeFieldOverflow, `date out of range: "%s"`, text)
		}
		return Moment{Kind: types.Date, V: d}, nil
	case !s.timed:
		return Moment{}, badFormat("datetime format is not dated and not timed")
	}
	m := Moment{Kind: types.Time, Zoned: s.zoned, Zone: j.zone, V: j.ofDay()}
	if j.digits > 0 {
		m.V = datetime.RoundMicros(m.V, int32(j.digits))
	}
	return m, nil
}

// ofDay is the time of day.
func (j *joined) ofDay() int64 {
	return (j.hour*3600+j.min*60+j.sec)*datetime.MicrosPerSecond + j.micros
}

func (j *joined) timestamp(zoned bool) (Moment, error) {
	m := Moment{Kind: types.Timestamp}
	bad := datetime.TimestampOutOfRange
	if zoned {
		m.Kind, m.Zone = types.Timestamptz, j.zone
		bad = func() error { return sqlerr.New(sqlerr.DatetimeFieldOverflow, "timestamptz out of range") }
	}
	d := julian(j.year, j.month, j.day) - julianEpoch
	if j.year < minYear || j.year > maxYear || !datetime.ValidDate(d) {
		return m, bad()
	}
	ts, err := datetime.DateToTimestamp(d)
	if err != nil {
		return m, bad()
	}
	ts += j.ofDay() - m.Zone*datetime.MicrosPerSecond
	if j.digits > 0 {
		ts = datetime.RoundMicros(ts-datetime.EpochOffsetMicros, int32(j.digits)) + datetime.EpochOffsetMicros
	}
	if !datetime.ValidTimestamp(ts) {
		return m, bad()
	}
	m.V = ts
	return m, nil
}
