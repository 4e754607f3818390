package datetime

import (
	"math"
	"strconv"
)

// The numbers of C's library, whose readings of odd text show through in PostgreSQL's.

// scanInt reads blanks, a sign and digits, saturating at 64 bits; rest is all of s where
// there are no digits.
func scanInt(s []byte) (v int64, rest []byte, over bool) {
	i := 0
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	neg := false
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		neg = s[i] == '-'
		i++
	}
	if i == len(s) || !isDigit(s[i]) {
		return 0, s, false
	}
	for ; i < len(s) && isDigit(s[i]); i++ {
		d := int64(s[i] - '0')
		if neg {
			if v < (math.MinInt64+d)/10 {
				over = true
			}
			v = v*10 - d
		} else {
			if v > (math.MaxInt64-d)/10 {
				over = true
			}
			v = v*10 + d
		}
	}
	switch {
	case over && neg:
		v = math.MinInt64
	case over:
		v = math.MaxInt64
	}
	return v, s[i:], over
}

// scanInt32 is scanInt for 32 bits.
func scanInt32(s []byte) (v int32, rest []byte, over bool) {
	w, rest, over := scanInt(s)
	return int32(w), rest, over || w != int64(int32(w))
}

// lowInt reads what it can and keeps the low 32 bits.
func lowInt(s []byte) int32 {
	v, _, _ := scanInt(s)
	return int32(v)
}

// scanFloat reads the longest start of s that is a floating-point number; n is 0 where there
// is none, and bad says that it is beyond the range of 64 bits, at either end.
func scanFloat(s []byte) (v float64, n int, bad bool) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	if w := max(wordAt(s[i:], "infinity"), wordAt(s[i:], "inf")); w > 0 {
		sign := 1
		if s[0] == '-' {
			sign = -1
		}
		return math.Inf(sign), i + w, false
	}
	if w := wordAt(s[i:], "nan"); w > 0 {
		return math.NaN(), i + w, false
	}
	isDig, exp, zero := isDigit, byte('e'), true
	hex := i+1 < len(s) && s[i] == '0' && s[i+1]|0x20 == 'x'
	start := i
	if hex {
		isDig, exp = isHex, 'p'
		i += 2
	}
	digits := 0
	for point := false; i < len(s) && (isDig(s[i]) || s[i] == '.' && !point); i++ {
		if s[i] == '.' {
			point = true
			continue
		}
		digits++
		zero = zero && s[i] == '0'
	}
	if digits == 0 {
		if hex {
			return 0, start + 1, false // the 0 before the x
		}
		return 0, 0, false
	}
	end := i
	if i < len(s) && s[i]|0x20 == exp {
		j := i + 1
		if j < len(s) && (s[j] == '-' || s[j] == '+') {
			j++
		}
		for ; j < len(s) && isDigit(s[j]); j++ {
			end = j + 1
		}
	}
	text := string(s[:end])
	if hex && end == i {
		text += "p0"
	}
	v, err := strconv.ParseFloat(text, 64)
	const leastNormal = 0x1p-1022
	return v, end, err != nil || !zero && math.Abs(v) < leastNormal
}

// wordAt gives the length of w if s starts with it, in any case.
func wordAt(s []byte, w string) int {
	if len(s) < len(w) {
		return 0
	}
	for i := range len(w) {
		if s[i]|0x20 != w[i] {
			return 0
		}
	}
	return len(w)
}

func isHex(c byte) bool { return isDigit(c) || c|0x20 >= 'a' && c|0x20 <= 'f' }

// scanFraction reads a point and all that follows it.
func scanFraction(s []byte) (float64, problem) {
	if len(s) == 1 {
		return 0, good
	}
	v, n, bad := scanFloat(s)
	if n != len(s) || bad {
		return 0, badFormat
	}
	return v, good
}

// scanMicros is scanFraction in µs, rounded; 1000000 is possible.
func scanMicros(s []byte) (int32, problem) {
	v, p := scanFraction(s)
	return microsOf(v), p
}

func microsOf(fraction float64) int32 {
	us := math.RoundToEven(fraction * 1e6)
	if !(math.Abs(us) < math.MaxInt32) {
		return math.MinInt32
	}
	return int32(us)
}
