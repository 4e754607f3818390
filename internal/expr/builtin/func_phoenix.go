package builtin

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/javanum"
	"github.com/saltsql/saltsql/internal/expr/javatime"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

// Functions of Apache Phoenix, in the schema phoenix: those that PostgreSQL has not, and
// those of its name that mean another thing. Their dates have a time of day and are in
// UTC, whatever the session's zone.

func init() {
	part := func(name string, f func(time.Time) int) {
		k := k1e(func(us int64) (int64, error) { return int64(f(time.UnixMicro(us).UTC())), finite(us) })
		phoenix(name, ts(tTS), tInt4, k)
		phoenix(name, ts(tTSTZ), tInt4, k)
		phoenix(name, ts(tDate), tInt4, k1e(func(day int64) (int64, error) {
			return int64(f(time.Unix(day*86400, 0).UTC())), finite(day)
		}))
	}
	part("year", time.Time.Year)
	part("month", func(t time.Time) int { return int(t.Month()) })
	part("week", func(t time.Time) int { _, w := t.ISOWeek(); return w })
	part("dayofyear", time.Time.YearDay)
	part("dayofmonth", time.Time.Day)
	part("dayofweek", func(t time.Time) int { return (int(t.Weekday())+6)%7 + 1 })
	part("hour", time.Time.Hour)
	part("minute", time.Time.Minute)
	part("second", time.Time.Second)

	for _, f := range []struct {
		name string
		of   types.T
	}{{"to_date", tTS}, {"to_timestamp", tTS}, {"to_time", tTime}} {
		read := func(text, pattern, zone string) (int64, error) {
			us, err := phoenixTime(text, pattern, zone)
			if f.of == tTime {
				us -= floorMicros(us, microsPerDay)
			}
			return us, err
		}
		phoenix(f.name, ts(tText), f.of, k1e(func(s []byte) (int64, error) { return read(string(s), "", "") }))
		phoenix(f.name, ts(tText, tText), f.of, k2e(func(s, p []byte) (int64, error) { return read(string(s), string(p), "") }))
		phoenix(f.name, ts(tText, tText, tText), f.of, k3e(func(s, p, z []byte) (int64, error) { return read(string(s), string(p), string(z)) }))
	}
	phoenix("to_char", ts(tTS), tText, t1(func(dst []byte, us int64) ([]byte, error) {
		if err := finite(us); err != nil {
			return dst, err
		}
		return javatime.Format(dst, us, javatime.Default, time.UTC)
	}))
	phoenix("to_char", ts(tTS, tText), tText, t2(func(dst []byte, us int64, p []byte) ([]byte, error) {
		if err := finite(us); err != nil {
			return dst, err
		}
		return javatime.Format(dst, us, string(p), time.UTC)
	}))
	number := func(of types.T, write func(p *javanum.Pattern, v types.Datum) []byte) {
		phoenix("to_char", ts(of, tText), tText, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			p, err := javanum.Parse(string(a[1].Bytes))
			if err != nil {
				return types.NullDatum, err
			}
			return types.NewBytes(write(p, a[0])), nil
		}))
	}
	number(tNum, func(p *javanum.Pattern, v types.Datum) []byte {
		switch d := v.Decimal; {
		case d.Form == apd.Finite:
			return p.Append(nil, javanum.OfDecimal(d))
		case d.Form == apd.Infinite && d.Negative:
			return p.AppendFloat(nil, math.Inf(-1))
		case d.Form == apd.Infinite:
			return p.AppendFloat(nil, math.Inf(1))
		}
		return p.AppendFloat(nil, math.NaN())
	})
	number(tFloat8, func(p *javanum.Pattern, v types.Datum) []byte { return p.AppendFloat(nil, v.Float) })
	whole := func(p *javanum.Pattern, v types.Datum) []byte {
		return p.Append(nil, javanum.OfDecimal(apd.New(v.Int, 0)))
	}
	number(tInt8, whole)
	number(tInt4, whole)
	phoenix("to_number", ts(tText), tNum, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		return types.ParseText(tNum, a[0].Bytes, nil)
	}))
	phoenix("to_number", ts(tText, tText), tNum, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		p, err := javanum.Parse(string(a[1].Bytes))
		if err != nil {
			return types.NullDatum, err
		}
		n, ok := p.Read(strings.TrimSpace(string(a[0].Bytes)))
		if !ok {
			return types.NullDatum, nil
		}
		return types.ParseText(tNum, []byte(n), nil)
	}))
	phoenix("to_number", ts(tTS), tNum, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		return types.NewDecimal(apd.New(floorMicros(a[0].Int, 1000)/1000, 0)), finite(a[0].Int)
	}))

	for _, f := range []struct {
		name string
		to   func(us, unit int64) int64
	}{
		// Before 1970 they go towards it, as Phoenix's do.
		{"floor", func(us, unit int64) int64 { return us / unit * unit }},
		{"trunc", func(us, unit int64) int64 { return us / unit * unit }},
		{"ceil", func(us, unit int64) int64 { return (us + unit - 1) / unit * unit }},
		{"round", func(us, unit int64) int64 { return (us + unit/2) / unit * unit }},
	} {
		phoenix(f.name, ts(tTS, tText), tTS, k2e(func(us int64, u []byte) (int64, error) { return toUnit(f.name, us, string(u), 1, f.to) }))
		phoenix(f.name, ts(tTS, tText, tInt4), tTS, k3e(func(us int64, u []byte, n int64) (int64, error) {
			return toUnit(f.name, us, string(u), n, f.to)
		}))
	}

	phoenix("instr", ts(tText, tText), tInt4, k2(func(s, sub []byte) int64 {
		i := strings.Index(string(s), string(sub))
		if i < 0 {
			return 0
		}
		return int64(len([]rune(string(s[:i])))) + 1
	}))
	phoenix("convert_tz", ts(tTS, tText, tText), tTS, k3e(func(us int64, from, to []byte) (int64, error) {
		if datetime.IsInf(us) {
			return us, nil
		}
		a, err := zoneOffset(us, string(from))
		if err != nil {
			return 0, err
		}
		b, err := zoneOffset(us-a, string(to))
		return us - a + b, err
	}))
	phoenix("timezone_offset", ts(tText, tTS), tInt4, k2e(func(zone []byte, us int64) (int64, error) {
		if err := finite(us); err != nil {
			return 0, err
		}
		o, err := zoneOffset(us, string(zone))
		return o / 60_000_000, err
	}))
	phoenix("rand", nil, tFloat8, datumKernel(func(*expr.Env, []types.T, []types.Datum) (types.Datum, error) {
		return types.NewFloat(rand.Float64()), nil
	})).AsVolatile()
	phoenix("rand", ts(tInt4), tFloat8, datumKernel(func(*expr.Env, []types.T, []types.Datum) (types.Datum, error) {
		return types.NullDatum, sqlerr.Unsupported("rand with a seed is not supported", "Write rand(). A number that stays with a row is hashtext(k::text) of its key.")
	}))
	phoenix("array_fill", ts(tAnyEl, tInt4), tAnyArr, datumKernel(func(_ *expr.Env, t []types.T, a []types.Datum) (types.Datum, error) {
		n := a[1].Int
		if n < 1 || n > 1<<20 {
			return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "array_fill makes 1 to %d elements, not %d", 1<<20, n)
		}
		v := &types.ArrayValue{Elem: t[0], Dims: []int32{int32(n)}, Elems: make([]types.Datum, n)}
		for i := range v.Elems {
			v.Elems[i] = a[0].Clone(t[0])
		}
		return types.Datum{Array: v}, nil
	}))
	phoenix("encode", ts(tInt8, tText), tText, t2(func(dst []byte, n int64, as []byte) ([]byte, error) {
		if !strings.EqualFold(string(as), "BASE62") {
			return dst, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized encoding: %q", as).WithHint("Phoenix encodes numbers as BASE62.")
		}
		return appendBase62(dst, n), nil
	}))
	phoenix("array_length", ts(tAnyArr), tInt4, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		return types.NewInt(int64(len(a[0].Array.Elems))), nil
	}))
	for _, f := range []struct {
		name string
		to   func(z, x *apd.Decimal) error
	}{{"floor", numeric.Floor}, {"ceil", numeric.Ceil}} {
		phoenix(f.name, ts(tNum, tInt4), tNum, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
			return toScale(a[0], a[1].Int, f.to)
		}))
	}
	phoenix("log", ts(tFloat8, tFloat8), tFloat8, k2e(func(x, base float64) (float64, error) {
		if x <= 0 || base <= 0 {
			return 0, sqlerr.New(sqlerr.InvalidArgumentForLog, "cannot take logarithm of a number that is not over zero")
		}
		if base == 1 {
			return 0, sqlerr.New(sqlerr.DivisionByZero, "division by zero")
		}
		return math.Log(x) / math.Log(base), nil
	}))
	phoenix("substr", ts(tText, tInt4), tText, datumKernel(phoenixSubstr))
	phoenix("substr", ts(tText, tInt4, tInt4), tText, datumKernel(phoenixSubstr))
	// What || is there: a NULL adds nothing.
	phoenix("textcat", ts(tText, tText), tText, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		switch {
		case a[0].Null:
			return a[1], nil
		case a[1].Null:
			return a[0], nil
		}
		return types.NewBytes(slices.Concat(a[0].Bytes, a[1].Bytes)), nil
	})).CalledOnNull()
	phoenix("null_in_offset", ts(), tText, argFree(func(*expr.Env) (types.Datum, error) {
		return types.NullDatum, sqlerr.New(sqlerr.NullValueNotAllowed, "the row of OFFSET has a NULL").WithHint("Write NULL, where the key has NULLs, as a word, not as a parameter.")
	})).AsStable()
	phoenix("regexp_split", ts(tText, tText), tTexts, datumKernel(regexpSplit("regexp_split_to_array")))
}

// phoenix adds a function to the schema phoenix.
func phoenix(name string, args []types.T, res types.T, k expr.Kernel) *expr.Func {
	f := fn(expr.PhoenixSchema+"."+name, args, res, k)
	expr.RegisterFuncs(f)
	return f
}

// finite refuses the infinite ones, which have no year.
func finite(v int64) error {
	if datetime.IsInf(v) {
		return sqlerr.New(sqlerr.DatetimeFieldOverflow, "infinite dates have no fields")
	}
	return nil
}

const microsPerDay = 86400 * 1_000_000

// floorMicros gives the largest multiple of unit that is not over n.
func floorMicros(n, unit int64) int64 {
	m := n % unit
	if m < 0 {
		m += unit
	}
	return n - m
}

// phoenixTime reads a text in UTC; without a pattern in the forms of ISO 8601.
func phoenixTime(text, pattern, zone string) (int64, error) {
	loc := time.UTC
	if zone != "" {
		var err error
		if loc, err = javatime.Zone(zone); err != nil {
			return 0, err
		}
	}
	if pattern != "" {
		return javatime.Parse(text, pattern, loc)
	}
	d, err := types.ParseText(tTS, []byte(text), nil)
	return d.Int, err
}

// phoenixUnits are the units of a fixed length, in µs.
var phoenixUnits = map[string]int64{
	"day": microsPerDay, "hour": 3600_000_000, "minute": 60_000_000, "second": 1_000_000, "millisecond": 1000,
}

// toUnit takes a time to a multiple of a unit; weeks, months and years begin where the
// calendar has them.
func toUnit(name string, us int64, unit string, n int64, to func(us, unit int64) int64) (int64, error) {
	unit = strings.ToLower(unit)
	if datetime.IsInf(us) {
		return us, nil
	}
	if n < 1 || n > math.MaxInt32 {
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "the multiplier of %s must be over 0", name)
	}
	if size, ok := phoenixUnits[unit]; ok {
		return to(us, size*n), nil
	}
	t := time.UnixMicro(us).UTC()
	var from, next time.Time
	number := func(t time.Time) int { return t.Year() }
	switch unit {
	case "week":
		y, m, d := t.Date()
		from = time.Date(y, m, d-(int(t.Weekday())+6)%7, 0, 0, 0, 0, time.UTC)
		next = from.AddDate(0, 0, 7)
		number = func(t time.Time) int { _, w := t.ISOWeek(); return w }
	case "month":
		from = time.Date(t.Year(), t.Month(), 1, 0, 0, 0, 0, time.UTC)
		next = from.AddDate(0, 1, 0)
		number = func(t time.Time) int { return int(t.Month()) }
	case "year":
		from = time.Date(t.Year(), 1, 1, 0, 0, 0, 0, time.UTC)
		next = from.AddDate(1, 0, 0)
	default:
		return 0, sqlerr.New(sqlerr.InvalidParameterValue, "unit %q not recognized", unit).
			WithHint("Units are DAY, HOUR, MINUTE, SECOND, MILLISECOND, WEEK, MONTH and YEAR.")
	}
	if n != 1 {
		return 0, sqlerr.Unsupported("a multiplier with "+strings.ToUpper(unit)+" is not supported", "Leave it out, or use DAY.")
	}
	lo, hi := from.UnixMicro(), next.UnixMicro()
	if us == lo || name == "floor" || name == "trunc" {
		return lo, nil
	}
	if name == "round" && (us-lo < hi-us || us-lo == hi-us && number(next)%2 != 0) { // a half goes to the even one
		return lo, nil
	}
	return hi, nil
}

// zoneOffset gives how far a zone is before UTC then, in µs.
func zoneOffset(us int64, zone string) (int64, error) {
	loc, err := javatime.Zone(zone)
	if err != nil {
		return 0, err
	}
	_, s := time.UnixMicro(us).In(loc).Zone()
	return int64(s) * 1_000_000, nil
}

// toScale takes a number to one of n digits behind the point.
func toScale(v types.Datum, n int64, to func(z, x *apd.Decimal) error) (types.Datum, error) {
	switch {
	case n < 0:
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, "the scale must be 0 or more, not %d", n)
	case v.Decimal.Form != apd.Finite || n >= -int64(v.Decimal.Exponent):
		return v, nil
	}
	var x, z apd.Decimal
	x.Set(v.Decimal)
	x.Exponent += int32(n)
	if err := to(&z, &x); err != nil {
		return types.NullDatum, err
	}
	z.Exponent -= int32(n)
	return types.NewDecimal(&z), nil
}

// phoenixSubstr counts from 1, of which 0 is the same, or from the end below 0. What lies
// outside of the text, or is empty, is NULL.
func phoenixSubstr(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	s := []rune(string(a[0].Bytes))
	from, n := a[1].Int, int64(len(s))
	switch {
	case from > 0:
		from--
	case from < 0:
		from += n
	}
	if len(a) == 3 {
		n = min(n, max(from, 0)+max(a[2].Int, 0))
	}
	if from < 0 || from >= n {
		return types.NullDatum, nil
	}
	return types.NewText(string(s[from:n])), nil
}

func appendBase62(dst []byte, n int64) []byte {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	m := uint64(n)
	if n < 0 {
		dst, m = append(dst, '-'), -m
	}
	at := len(dst)
	for ; m >= 62; m /= 62 {
		dst = append(dst, digits[m%62])
	}
	dst = append(dst, digits[m])
	slices.Reverse(dst[at:])
	return dst
}
