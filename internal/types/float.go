package types

import (
	"math"
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// AppendFloat8 prints a float8: the shortest text that reads back as f, with an
// exponent below 1e-4 and from 1e15 on.
func AppendFloat8(dst []byte, f float64, env *IOEnv) []byte {
	if env != nil && env.FewFloatDigits {
		return appendSpecial(dst, f, func(dst []byte) []byte {
			return strconv.AppendFloat(dst, f, 'g', max(1, 15+env.ExtraFloatDigits), 64)
		})
	}
	a := math.Abs(f)
	if a < 1e15 && a >= 1e-4 || f == 0 {
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	return appendSpecial(dst, f, func(dst []byte) []byte {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	})
}

// AppendFloat4 prints a float4: as AppendFloat8, with an exponent from 1e6 on.
func AppendFloat4(dst []byte, f float64, env *IOEnv) []byte {
	if env != nil && env.FewFloatDigits {
		return appendSpecial(dst, f, func(dst []byte) []byte {
			return strconv.AppendFloat(dst, f, 'g', max(1, 6+env.ExtraFloatDigits), 32)
		})
	}
	a := float32(math.Abs(f))
	if a < 1e6 && a >= 1e-4 || f == 0 {
		return strconv.AppendFloat(dst, f, 'f', -1, 32)
	}
	return appendSpecial(dst, f, func(dst []byte) []byte {
		return strconv.AppendFloat(dst, f, 'e', -1, 32)
	})
}

func appendSpecial(dst []byte, f float64, finite func([]byte) []byte) []byte {
	switch {
	case math.IsNaN(f):
		return append(dst, "NaN"...)
	case math.IsInf(f, 1):
		return append(dst, "Infinity"...)
	case math.IsInf(f, -1):
		return append(dst, "-Infinity"...)
	}
	return finite(dst)
}

// parseFloat reads a float of 32 or 64 bits.
func parseFloat(s string, bits int) (float64, error) {
	name := "double precision"
	if bits == 32 {
		name = "real"
	}
	t := trimSpace(s)
	body := strings.TrimLeft(t, "+-")
	if t == "" || len(t)-len(body) > 1 || strings.ContainsRune(t, '_') {
		return 0, invalidInput(name, s)
	}
	if hex := strings.ToLower(body); strings.HasPrefix(hex, "0x") && !strings.Contains(hex, "p") {
		t += "p0" // strtod takes it without an exponent
	} else if hex == "nan" {
		return math.NaN(), nil
	}
	f, err := strconv.ParseFloat(t, bits)
	if err != nil {
		if ne, ok := err.(*strconv.NumError); ok && ne.Err == strconv.ErrRange {
			return 0, outOfRange(t, name)
		}
		return 0, invalidInput(name, s)
	}
	if f == 0 && nonZeroMantissa(body) {
		return 0, outOfRange(t, name)
	}
	return f, nil
}

func nonZeroMantissa(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c == 'e' || c == 'E' || c == 'p' || c == 'P':
			return false
		case c >= '1' && c <= '9':
			return true
		}
	}
	return false
}

func outOfRange(s, name string) error {
	return sqlerr.New(sqlerr.NumericValueOutOfRange, `"%s" is out of range for type %s`, s, name)
}

func invalidInput(name, s string) error {
	return sqlerr.New(sqlerr.InvalidTextRepresentation, `invalid input syntax for type %s: "%s"`, name, s)
}

// trimSpace cuts off what C's isspace calls space.
func trimSpace(s string) string { return strings.Trim(s, " \t\n\r\f\v") }

// Float8Bits is the IEEE form of a float8; every NaN has the same.
func Float8Bits(f float64) uint64 {
	if f != f {
		return 0x7ff8000000000000
	}
	return math.Float64bits(f)
}

// float4Bits is Float8Bits for a float4.
func float4Bits(f float64) uint32 {
	if f != f {
		return 0x7fc00000
	}
	return math.Float32bits(float32(f))
}
