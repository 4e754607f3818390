package datetime

import (
	"strconv"
	"time"
)

// AppendDate prints a date in ISO style.
func AppendDate(dst []byte, d int64) []byte {
	switch d {
	case PosInfinity:
		return append(dst, "infinity"...)
	case NegInfinity:
		return append(dst, "-infinity"...)
	}
	y, m, day := CivilFromDays(d)
	dst, bc := appendYMD(dst, y, m, day)
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

func appendYMD(dst []byte, y, m, d int) (b []byte, bc bool) {
	if y <= 0 {
		y, bc = 1-y, true
	}
	switch {
	case y < 10:
		dst = append(dst, "000"...)
	case y < 100:
		dst = append(dst, "00"...)
	case y < 1000:
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, int64(y), 10)
	dst = append(dst, '-', byte('0'+m/10), byte('0'+m%10), '-', byte('0'+d/10), byte('0'+d%10))
	return dst, bc
}

// AppendTime prints a time of day.
func AppendTime(dst []byte, t int64) []byte {
	f := SplitTime(t)
	dst = append2(dst, f.Hour)
	dst = append(dst, ':')
	dst = append2(dst, f.Minute)
	dst = append(dst, ':')
	dst = append2(dst, f.Sec)
	return appendMicros(dst, f.Micro)
}

func append2(dst []byte, v int) []byte {
	if v < 100 {
		return append(dst, byte('0'+v/10), byte('0'+v%10))
	}
	return strconv.AppendInt(dst, int64(v), 10)
}

// appendMicros prints a fraction of a second without zeros at its end.
func appendMicros(dst []byte, us int) []byte {
	if us == 0 {
		return dst
	}
	n := len(dst)
	dst = append(dst, ".000000"...)
	for i := n + 6; us > 0; i-- {
		dst[i] = byte('0' + us%10)
		us /= 10
	}
	for dst[len(dst)-1] == '0' {
		dst = dst[:len(dst)-1]
	}
	return dst
}

// AppendTimestamp prints a timestamp in ISO style.
func AppendTimestamp(dst []byte, ts int64) []byte { return appendTS(dst, ts, nil) }

// AppendTimestamptz prints a timestamptz in ISO style as the clocks of loc
// show it.
func AppendTimestamptz(dst []byte, ts int64, loc *time.Location) []byte {
	if loc == nil {
		loc = time.UTC
	}
	return appendTS(dst, ts, loc)
}

func appendTS(dst []byte, ts int64, loc *time.Location) []byte {
	switch ts {
	case PosInfinity:
		return append(dst, "infinity"...)
	case NegInfinity:
		return append(dst, "-infinity"...)
	}
	off := 0
	if loc != nil {
		off = OffsetAt(ts, loc)
		ts += int64(off) * MicrosPerSecond
	}
	days := floorDiv(ts, MicrosPerDay)
	y, m, d := CivilFromDays(days)
	dst, bc := appendYMD(dst, y, m, d)
	dst = append(dst, ' ')
	dst = AppendTime(dst, ts-days*MicrosPerDay)
	if loc != nil {
		dst = AppendOffset(dst, off)
	}
	if bc {
		dst = append(dst, " BC"...)
	}
	return dst
}

// AppendOffset prints an offset from UTC in seconds as ISO style does: +05,
// +05:30, -00:01:15.
func AppendOffset(dst []byte, off int) []byte {
	if off < 0 {
		dst = append(dst, '-')
		off = -off
	} else {
		dst = append(dst, '+')
	}
	dst = append2(dst, off/3600)
	if off%3600 != 0 {
		dst = append(dst, ':')
		dst = append2(dst, off/60%60)
		if off%60 != 0 {
			dst = append(dst, ':')
			dst = append2(dst, off%60)
		}
	}
	return dst
}

// AppendInterval prints an interval in style postgres.
func AppendInterval(dst []byte, months, days int32, micros int64) []byte {
	first, before := true, false
	part := func(v int32, unit string) {
		if v == 0 {
			return
		}
		if !first {
			dst = append(dst, ' ')
		}
		if before && v > 0 {
			dst = append(dst, '+')
		}
		dst = strconv.AppendInt(dst, int64(v), 10)
		dst = append(dst, ' ')
		dst = append(dst, unit...)
		if v != 1 {
			dst = append(dst, 's')
		}
		before = v < 0
		first = false
	}
	part(months/12, "year")
	part(months%12, "mon")
	part(days, "day")
	if !first && micros == 0 {
		return dst
	}
	if !first {
		dst = append(dst, ' ')
	}
	u := uint64(micros)
	if micros < 0 {
		dst = append(dst, '-')
		u = -u
	} else if before {
		dst = append(dst, '+')
	}
	dst = append2(dst, int(u/uint64(MicrosPerHour)))
	dst = append(dst, ':')
	dst = append2(dst, int(u/uint64(MicrosPerMinute)%60))
	dst = append(dst, ':')
	dst = append2(dst, int(u/uint64(MicrosPerSecond)%60))
	return appendMicros(dst, int(u%uint64(MicrosPerSecond)))
}
