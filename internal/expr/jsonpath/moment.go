package jsonpath

import (
	"cmp"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/expr/tochar"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/jsonpath"
	"github.com/saltsql/saltsql/internal/types/jsonval"
)

// formats are what datetime() without a template tries, in this order.
var formats = func() (out []*tochar.StandardFormat) {
	for _, day := range []string{"", "yyyy-mm-dd ", `yyyy-mm-dd"T"`} {
		if day == "" {
			out = append(out, mustFormat("yyyy-mm-dd"))
		}
		for _, sec := range []string{"HH24:MI:SS.US", "HH24:MI:SS"} {
			for _, zone := range []string{"TZH:TZM", "TZH", ""} {
				out = append(out, mustFormat(day+sec+zone))
			}
		}
	}
	return out
}()

func mustFormat(template string) *tochar.StandardFormat {
	f, err := tochar.StandardDates(template)
	if err != nil {
		panic(err)
	}
	return f
}

func (s *search) datetime(n *jsonpath.Node, it item, l *list) (status, error) {
	if !it.is(jsonval.String) {
		return s.fail(sqlerr.InvalidArgumentForSqlJsonDatetime, "jsonpath item method .%s() can only be applied to a string", n.Op.Name())
	}
	m, st, err := s.readMoment(n, it.v.Str)
	if err != nil || st == fault || n.Next == nil && l == nil {
		return st, err
	}
	return s.next(n, item{t: &m}, l)
}

func (s *search) readMoment(n *jsonpath.Node, text string) (m tochar.Moment, st status, err error) {
	if n.Left != nil {
		f, err := tochar.StandardDates(n.Left.Str)
		if err != nil {
			return m, fault, err
		}
		if m, err = f.Read(text); err != nil {
			st, err = s.raise(err)
		}
		return m, st, err
	}
	for _, f := range formats {
		if m, err = f.Read(text); err == nil {
			return m, found, nil
		}
	}
	if !s.throw {
		return m, fault, nil
	}
	return m, fault, sqlerr.New(sqlerr.InvalidArgumentForSqlJsonDatetime, `datetime format is not recognized: "%s"`, text).
		WithHint("Use a datetime template argument to specify the input data format.")
}

func momentType(m *tochar.Moment) string {
	if m.Kind == types.Time && m.Zoned {
		return "time with time zone"
	}
	return m.Kind.String()
}

// momentText prints m as ISO 8601 does.
func momentText(m *tochar.Moment) string {
	var b []byte
	switch m.Kind {
	case types.Date:
		return string(datetime.AppendDate(b, m.V))
	case types.Time:
		b = datetime.AppendTime(b, m.V)
		if m.Zoned {
			b = appendZone(b, m.Zone)
		}
		return string(b)
	}
	text := string(datetime.AppendTimestamp(b, m.V+m.Zone*datetime.MicrosPerSecond))
	text, bc := strings.CutSuffix(text, " BC")
	text = strings.Replace(text, " ", "T", 1)
	if m.Kind == types.Timestamptz {
		text = string(appendZone([]byte(text), m.Zone))
	}
	if bc {
		text += " BC"
	}
	return text
}

func appendZone(b []byte, offset int64) []byte {
	sign := byte('+')
	if offset < 0 {
		sign, offset = '-', -offset
	}
	h, m := offset/3600, offset%3600/60
	return append(b, sign, byte('0'+h/10), byte('0'+h%10), ':', byte('0'+m/10), byte('0'+m%10))
}

// compareMoments orders two; ok is false for a time and what has a date.
func (s *search) compareMoments(a, b *tochar.Moment) (c int, ok bool, err error) {
	if (a.Kind == types.Time) != (b.Kind == types.Time) {
		return 0, false, nil
	}
	if a.Kind == types.Time {
		c, err = s.compareTimes(a, b)
		return c, true, err
	}
	if (a.Kind == types.Timestamptz) == (b.Kind == types.Timestamptz) {
		if a.Kind == b.Kind {
			return cmp.Compare(a.V, b.V), true, nil
		}
		return compareLocal(a, b, nil), true, nil
	}
	if !s.TZ {
		from := "timestamp"
		if a.Kind == types.Date || b.Kind == types.Date {
			from = "date"
		}
		return 0, false, needsZone(from, "timestamptz")
	}
	return compareLocal(a, b, s.Zone), true, nil
}

func needsZone(from, to string) error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "cannot convert value from %s to %s without time zone usage", from, to).
		WithHint("Use *_tz() function for time zone support.")
}

// compareLocal orders dates and timestamps; where loc is given, by the instants that their
// clocks show there.
func compareLocal(a, b *tochar.Moment, loc *time.Location) int {
	instant := func(m *tochar.Moment) (v int64, beyond bool) {
		v = m.V
		if m.Kind == types.Timestamptz {
			return v, false
		}
		if m.Kind == types.Date {
			var err error
			if v, err = datetime.DateToTimestamp(m.V); err != nil {
				return 0, true // later than every timestamp
			}
		}
		if loc != nil {
			v = datetime.LocalToUTC(v, loc)
		}
		return v, false
	}
	x, xBeyond := instant(a)
	y, yBeyond := instant(b)
	switch {
	case xBeyond:
		return 1
	case yBeyond:
		return -1
	}
	return cmp.Compare(x, y)
}

// compareTimes orders times; with a zone, by the instants and then the zones.
func (s *search) compareTimes(a, b *tochar.Moment) (int, error) {
	if !a.Zoned && !b.Zoned {
		return cmp.Compare(a.V, b.V), nil
	}
	if a.Zoned != b.Zoned && !s.TZ {
		return 0, needsZone("time", "timetz")
	}
	zone := func(m *tochar.Moment) int64 {
		if m.Zoned {
			return m.Zone
		}
		loc := s.Zone
		if loc == nil {
			return 0
		}
		// The offset of that time of today.
		y, mon, d := s.Now.In(loc).Date()
		today := time.Date(y, mon, d, 0, 0, 0, 0, time.UTC).UnixMicro() + m.V
		return (today - datetime.LocalToUTC(today, loc)) / datetime.MicrosPerSecond
	}
	za, zb := zone(a), zone(b)
	c := cmp.Compare(a.V-za*datetime.MicrosPerSecond, b.V-zb*datetime.MicrosPerSecond)
	// PostgreSQL counts zones to the west.
	return cmp.Or(c, cmp.Compare(zb, za)), nil
}
