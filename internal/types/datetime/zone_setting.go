package datetime

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// SettingZone reads a value of the parameter TimeZone: a region's name without regard to
// case, hours east of Greenwich, INTERVAL '…', or a zone as POSIX writes it. shown is how
// SHOW writes it. A 22023 has as its message what is wrong with value, or nothing where
// there is no such zone.
func SettingZone(value string) (loc *time.Location, shown string, err error) {
	if len(value) >= len("interval") && strings.EqualFold(value[:len("interval")], "interval") {
		return intervalZone(value)
	}
	if h, err := strconv.ParseFloat(strings.TrimLeft(value, " \t\n\r\v\f"), 64); err == nil {
		if !(math.Abs(h) < 7*24) {
			return nil, "", errFar
		}
		return offsetZone(int(h * 3600))
	}
	key := strings.ToLower(value)
	switch key {
	case "utc":
		return time.UTC, "UTC", nil
	case "gmt":
		return time.FixedZone("GMT", 0), "GMT", nil
	}
	if loc := regionZone(value, key); loc != nil {
		return loc, loc.String(), nil
	}
	if loc, ok := posixZone(value); ok {
		return loc, value, nil
	}
	return nil, "", errNoZone
}

var (
	errNoZone = sqlerr.New(sqlerr.InvalidParameterValue, "")
	errFar    = sqlerr.New(sqlerr.InvalidParameterValue, "UTC timezone offset is out of range.")
)

// offsetZone is the zone of an offset in seconds east of Greenwich.
func offsetZone(east int) (*time.Location, string, error) {
	shown := posixOf(east)
	loc, ok := posixZone(shown)
	if !ok {
		return nil, "", errNoZone
	}
	return loc, shown, nil
}

// intervalZone reads INTERVAL '…', which SET TIME ZONE INTERVAL writes.
func intervalZone(value string) (*time.Location, string, error) {
	text := strings.TrimLeft(value[len("interval"):], " \t\n\r\v\f")
	if len(text) < 2 || text[0] != '\'' || strings.IndexByte(text[1:], '\'') != len(text)-2 {
		return nil, "", errNoZone
	}
	v, err := ParseInterval(text[1:len(text)-1], AllFields)
	switch {
	case err != nil:
		return nil, "", err
	case v.Months != 0:
		return nil, "", sqlerr.New(sqlerr.InvalidParameterValue, "Cannot specify months in time zone interval.")
	case v.Days != 0:
		return nil, "", sqlerr.New(sqlerr.InvalidParameterValue, "Cannot specify days in time zone interval.")
	}
	if v.Micros <= -7*24*3600*MicrosPerSecond || v.Micros >= 7*24*3600*MicrosPerSecond {
		return nil, "", errFar
	}
	return offsetZone(int(v.Micros / MicrosPerSecond))
}
