package settings

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types/datetime"
	"github.com/saltsql/saltsql/planner"
)

func badValue(name, value string) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "invalid value for parameter %q: %q", name, value)
}

// oneOf takes one of some words. For on and off there are others, which are not told of.
func oneOf(values ...string) func(string, string) (string, error) {
	synonyms := map[string]string{"true": "on", "yes": "on", "1": "on", "false": "off", "no": "off", "0": "off"}
	return func(name, value string) (string, error) {
		for _, v := range values {
			if strings.EqualFold(v, value) || v == synonyms[strings.ToLower(value)] {
				return v, nil
			}
		}
		return "", badValue(name, value).WithHint("Available values: %s.", strings.Join(values, ", "))
	}
}

func hintList(name, value string) (string, error) {
	if _, bad := planner.HintsOf(value); bad != "" {
		return "", badValue(name, value).WithHint("%q is no hint. The hints are SERIAL, FORWARD_SCAN, RANGE_SCAN, SKIP_SCAN, NO_INDEX, USE_INDEX_OVER_DATA_TABLE, NO_STAR_JOIN, USE_SORT_MERGE_JOIN and HASH_AGGREGATE.", bad)
	}
	return value, nil
}

func boolean(name, value string) (string, error) {
	v := strings.ToLower(value)
	switch {
	case v == "":
	case v == "1" || v == "on" || strings.HasPrefix("true", v) || strings.HasPrefix("yes", v):
		return "on", nil
	case v == "0" || len(v) > 1 && strings.HasPrefix("off", v) || strings.HasPrefix("false", v) || strings.HasPrefix("no", v):
		return "off", nil
	}
	return "", sqlerr.New(sqlerr.InvalidParameterValue, "parameter %q requires a Boolean value", name)
}

func integer(lo, hi int64) func(string, string) (string, error) {
	return func(name, value string) (string, error) {
		n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		if err != nil {
			return "", badValue(name, value)
		}
		if n < lo || n > hi {
			return "", sqlerr.New(sqlerr.InvalidParameterValue, "%d is outside the valid range for parameter %q (%d .. %d)", n, name, lo, hi)
		}
		return strconv.FormatInt(n, 10), nil
	}
}

func seed(name, value string) (string, error) {
	f, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
	if err != nil || math.IsNaN(f) {
		return "", badValue(name, value)
	}
	if f < -1 || f > 1 {
		return "", sqlerr.New(sqlerr.InvalidParameterValue, "%g is outside the valid range for parameter %q (-1 .. 1)", f, name)
	}
	return strconv.FormatFloat(f, 'g', -1, 64), nil
}

// utf8Only reads an encoding's name as Postgres does: by its letters and digits.
func utf8Only(name, value string) (string, error) {
	plain := strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
			return r
		}
		return -1
	}, strings.ToLower(value))
	switch plain {
	case "utf8", "unicode":
		return "UTF8", nil
	}
	return "", badValue(name, value).WithHint("saltsql speaks UTF8 only.")
}

func isolation(name, value string) (string, error) {
	v := strings.Join(strings.Fields(strings.ToLower(value)), " ")
	return oneOf("read committed", "repeatable read", "serializable", "read uncommitted")(name, v)
}

func timeZone(name, value string) (string, error) {
	_, shown, err := datetime.SettingZone(value)
	if e := sqlerr.As(err); e != nil {
		if e.Code != sqlerr.InvalidParameterValue {
			return "", err
		}
		bad := badValue(name, value)
		if e.Message != "" {
			bad = bad.WithDetail("%s", e.Message)
		}
		return "", bad
	}
	return shown, nil
}

// duration reads a time in ms or with a unit, as Postgres's GUC_UNIT_MS
// parameters, and shows it in the largest unit that is exact.
func duration(name, value string) (string, error) {
	d, err := ParseDuration(value)
	if err != nil {
		bad := badValue(name, value)
		if ofUnit(err) {
			bad.WithHint(`Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".`)
		}
		return "", bad
	}
	if d < 0 {
		return "", outside(name, int64(d/time.Millisecond), "ms", 0)
	}
	for _, u := range []struct {
		d    time.Duration
		name string
	}{{24 * time.Hour, "d"}, {time.Hour, "h"}, {time.Minute, "min"}, {time.Second, "s"}} {
		if d > 0 && d%u.d == 0 {
			return fmt.Sprintf("%d%s", d/u.d, u.name), nil
		}
	}
	if d == 0 {
		return "0", nil
	}
	return fmt.Sprintf("%dms", d/time.Millisecond), nil
}

// unknownUnit says that a number has a unit that is none of the parameter's.
type unknownUnit string

func (u unknownUnit) Error() string { return "unknown unit " + strconv.Quote(string(u)) }

func ofUnit(err error) bool {
	_, unit := err.(unknownUnit)
	return unit
}

// outside refuses n units, below lo.
func outside(name string, n int64, unit string, lo int) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "%d %s is outside the valid range for parameter %q (%d .. %d)", n, unit, name, lo, math.MaxInt32)
}

// The units of times, in nanoseconds, and of sizes, in bytes.
var (
	timeUnits = map[string]float64{
		"us": float64(time.Microsecond), "ms": float64(time.Millisecond), "s": float64(time.Second),
		"min": float64(time.Minute), "h": float64(time.Hour), "d": float64(24 * time.Hour),
	}
	byteUnits = map[string]float64{"B": 1, "kB": 1 << 10, "MB": 1 << 20, "GB": 1 << 30, "TB": 1 << 40}
)

// ParseDuration reads a time in ms, or with a unit.
func ParseDuration(value string) (time.Duration, error) {
	return parseUnits(value, float64(time.Millisecond), timeUnits, func(v float64) time.Duration {
		return time.Duration(v).Round(time.Millisecond)
	})
}

func bytesSize(name, value string) (string, error) {
	n, err := ParseBytes(value)
	if err != nil {
		bad := badValue(name, value)
		if ofUnit(err) {
			bad.WithHint(`Valid units for this parameter are "B", "kB", "MB", "GB", and "TB".`)
		}
		return "", bad
	}
	if n < 64<<10 {
		return "", outside(name, n>>10, "kB", 64)
	}
	for _, u := range []struct {
		n    int64
		name string
	}{{1 << 40, "TB"}, {1 << 30, "GB"}, {1 << 20, "MB"}, {1 << 10, "kB"}} {
		if n%u.n == 0 {
			return fmt.Sprintf("%d%s", n/u.n, u.name), nil
		}
	}
	return fmt.Sprintf("%dB", n), nil
}

// orZero takes 0 beside what check takes.
func orZero(check func(name, value string) (string, error)) func(string, string) (string, error) {
	return func(name, value string) (string, error) {
		if strings.TrimSpace(value) == "0" {
			return "0", nil
		}
		return check(name, value)
	}
}

// orNever takes -1 too, which switches off.
func orNever(check func(name, value string) (string, error)) func(string, string) (string, error) {
	return func(name, value string) (string, error) {
		if strings.TrimSpace(value) == "-1" {
			return "-1", nil
		}
		return check(name, value)
	}
}

// ParseBytes reads a size in kB, or with a unit.
func ParseBytes(value string) (int64, error) {
	return parseUnits(value, 1<<10, byteUnits, func(v float64) int64 { return int64(v) })
}

// parseUnits reads a number with an optional unit; bare numbers are in unit def.
func parseUnits[T any](value string, def float64, units map[string]float64, conv func(float64) T) (T, error) {
	var zero T
	s := strings.TrimSpace(value)
	i := 0
	for i < len(s) && (s[i] >= '0' && s[i] <= '9' || s[i] == '.' || i == 0 && (s[i] == '-' || s[i] == '+')) {
		i++
	}
	v, err := strconv.ParseFloat(s[:i], 64)
	if err != nil {
		return zero, err
	}
	if unit := strings.TrimSpace(s[i:]); unit != "" {
		u, ok := units[unit]
		if !ok {
			return zero, unknownUnit(unit)
		}
		def = u
	}
	if v *= def; v > 1<<62 || v < -(1<<62) {
		return zero, fmt.Errorf("out of range")
	}
	return conv(v), nil
}
