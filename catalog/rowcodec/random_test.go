package rowcodec

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/types"
)

var (
	seedFlag   = flag.Uint64("seed", 0, "seed of the random tests; 0 takes that of internal/seeds")
	roundsFlag = flag.Int("rounds", 0, "rounds of the random tests; 0 is the default")
)

func newRand(t *testing.T) *rand.Rand {
	seed := *seedFlag
	if seed == 0 {
		seed = seeds.First(t)
	}
	return rand.New(rand.NewPCG(seed, 31))
}

func rounds(n int) int {
	if *roundsFlag > 0 {
		return *roundsFlag
	}
	if testing.Short() {
		return n / 10
	}
	return seeds.Amount((n+7)/8, n)
}

func pick[E any](r *rand.Rand, list ...E) E { return list[r.IntN(len(list))] }

// randomColumn draws a storage type for a key column.
func randomColumn(r *rand.Rand, last bool) (c Column, desc bool) {
	col := func(t Type, k types.Kind) Column { return Column{Type: t, SQL: types.Of(k)} }
	cols := []Column{
		col(Boolean, types.Bool), col(TinyInt, types.Int2), col(SmallInt, types.Int2), col(Integer, types.Int4), col(BigInt, types.Int8),
		col(UnsignedTinyInt, types.Int2), col(UnsignedSmallInt, types.Int4), col(UnsignedInt, types.Int4), col(UnsignedLong, types.Int8),
		col(UnsignedLong, types.Numeric), col(Float, types.Float4), col(Double, types.Float8), col(UnsignedFloat, types.Float4),
		col(UnsignedDouble, types.Float8), col(Decimal, types.Numeric), col(Varchar, types.Text), col(Varchar, types.Text),
		{Type: Char, Width: 3, SQL: types.Of(types.Bpchar).WithLength(3)}, col(VarbinaryEncoded, types.Bytea),
		{Type: Binary, Width: 2, SQL: types.Of(types.Bytea)}, {Type: Binary, Width: 16, SQL: types.Of(types.UUID)},
		col(Date, types.Date), col(Date, types.Timestamp), col(Time, types.Time), col(Timestamp, types.Timestamptz),
		col(UnsignedDate, types.Date), col(UnsignedTimestamp, types.Timestamp),
		col(TimeMicros, types.Time), col(Decimal, types.Numeric),
	}
	if last && r.IntN(8) == 0 {
		return col(Varbinary, types.Bytea), false
	}
	return pick(r, cols...), r.IntN(2) == 0
}

func randomKeySchema(r *rand.Rand) *KeySchema {
	s := &KeySchema{Table: "t", Buckets: pick(r, 0, 1, 4, 16, 31, 256)}
	n := 1 + r.IntN(5)
	texts := r.IntN(3) == 0 // separators and trimming matter most there
	for i := range n {
		c, desc := randomColumn(r, i == n-1)
		for texts && c.Type != Varchar && c.Type != VarbinaryEncoded && c.Type != Varbinary {
			c, desc = randomColumn(r, i == n-1)
		}
		s.Columns = append(s.Columns, KeyColumn{Column: c, Name: fmt.Sprintf("k%d", i), Desc: desc})
	}
	if s.Buckets > 0 && r.IntN(2) == 0 {
		perm := r.Perm(n)
		s.SaltColumns = perm[:1+r.IntN(n)]
	}
	return s
}

// randomValue draws a value that c can store: few of them, so that draws
// collide, and the extremes.
func randomValue(r *rand.Rand, c *Column) types.Datum {
	switch c.Type {
	case Boolean:
		return types.NewBool(r.IntN(2) == 0)
	case TinyInt, SmallInt, Integer, BigInt, UnsignedTinyInt, UnsignedSmallInt, UnsignedInt, UnsignedLong:
		lo, hi := c.intRange()
		if c.SQL.Kind == types.Numeric {
			d := apd.New(0, 0)
			d.Coeff.SetUint64(pick(r, uint64(0), 1, 2, r.Uint64(), hi, hi-1))
			return types.NewDecimal(d)
		}
		v := pick(r, lo, lo+1, int64(hi), int64(hi)-1, int64(r.IntN(9))-4, int64(r.IntN(9))-4, r.Int64())
		return types.NewInt(max(lo, min(v, int64(hi))))
	case Float, Double, UnsignedFloat, UnsignedDouble:
		f := pick(r, 0, math.Copysign(0, -1), 1, -1, 1.5, -1.5, math.Inf(1), math.Inf(-1), math.NaN(), math.MaxFloat32,
			math.SmallestNonzeroFloat32, -math.SmallestNonzeroFloat32, r.NormFloat64(), float64(r.IntN(5)-2))
		if c.SQL.Kind == types.Float8 {
			f = pick(r, f, math.MaxFloat64, -math.MaxFloat64, math.SmallestNonzeroFloat64)
		}
		if c.SQL.Kind == types.Float4 {
			f = float64(float32(f))
		}
		if c.Type == UnsignedFloat || c.Type == UnsignedDouble {
			f = math.Abs(f)
		}
		return types.NewFloat(f)
	case Decimal:
		if !c.Phoenix && r.IntN(3) == 0 {
			return types.NewDecimal(randomWideDecimal(r))
		}
		return types.NewDecimal(randomDecimal(r, 38))
	case Varchar:
		return types.NewText(pick(r, "", "a", "ab", "abc", "b", "\x01", "a\x01", "\x7f", "é", "\U0010FFFF", "a\U0010FFFF", randomText(r)))
	case Char:
		return types.NewText(pick(r, "", "a", "ab", "abc", "b", "a b", "~~~", "!", " a"))
	case Varbinary, VarbinaryEncoded:
		return types.NewBytes(randomBytes(r, r.IntN(5)))
	case Binary:
		return types.NewBytes(randomBytes(r, c.Width))
	}
	unsigned := c.Type.signBit() == 0
	switch {
	case c.Type == TimeMicros:
		return types.NewInt(pick(r, int64(0), 1, microsPerDay-1, microsPerDay, int64(r.IntN(3)), r.Int64N(microsPerDay)))
	case c.Type == Interval:
		return types.Datum{Interval: types.IntervalValue{Months: int32(pick(r, 0, 1, -1, math.MaxInt32, math.MinInt32)),
			Days: int32(pick(r, 0, 30, -30, math.MaxInt32, math.MinInt32)), Micros: pick(r, int64(0), 1, -1, math.MaxInt64, math.MinInt64, r.Int64())}}
	case c.SQL.Kind == types.Time:
		return types.NewInt(1000 * pick(r, int64(0), 1, 86400000, int64(r.IntN(86400000)), int64(r.IntN(3))))
	}
	v := pick(r, int64(0), 1, -1, int64(r.IntN(5))-2, int64(r.IntN(20000))-10000, posInfinity, negInfinity)
	if v != posInfinity && v != negInfinity && c.SQL.Kind != types.Date {
		v = pick(r, v, v*1_000, v*1_234_567, r.Int64N(1e17)-5e16)
		if c.Type.signed() != Timestamp {
			v = floorDiv(v, 1000) * 1000
		}
	}
	if unsigned && v < 0 {
		v = -max(v, -math.MaxInt64)
		if v == math.MaxInt64 {
			v = posInfinity
		}
	}
	return types.NewInt(v)
}

func randomDecimal(r *rand.Rand, digits int) *apd.Decimal {
	n := pick(r, 1, 1, 2, 3, 1+r.IntN(digits))
	text := make([]byte, 0, n)
	for range n {
		text = append(text, pick(r, byte('0'), '1', '9', byte('0'+r.IntN(10))))
	}
	d, _, err := apd.NewFromString(string(text))
	if err != nil {
		panic(err)
	}
	d.Exponent = int32(pick(r, 0, -1, -2, 1, 2, -n, -n+1, r.IntN(20)-10, r.IntN(140)-80))
	d.Negative = r.IntN(2) == 0
	return d
}

// randomWideDecimal draws a number that Phoenix does not have, mostly.
func randomWideDecimal(r *rand.Rand) *apd.Decimal {
	switch r.IntN(8) {
	case 0:
		return &apd.Decimal{Form: apd.NaN}
	case 1:
		return &apd.Decimal{Form: apd.Infinite, Negative: r.IntN(2) == 0}
	case 2, 3:
		d := randomDecimal(r, 5)
		d.Exponent += int32(pick(r, 124, -128, 130, -140, 700, -700))
		return d
	}
	// Numbers that begin alike for twenty digits of 100, and differ behind them by little.
	text := []byte("1234567890123456789012345678901234567")
	text = append(text, pick(r, "8", "80", "801", "799", "79", "89", "9", "899", "8999", "90", "900", "9001", "800000001")...)
	d, _, err := apd.NewFromString(string(text))
	if err != nil {
		panic(err)
	}
	d.Exponent = int32(37-len(text)) + int32(pick(r, 0, 0, 0, 1))
	d.Negative = r.IntN(3) > 0
	if r.IntN(4) == 0 {
		d = randomDecimal(r, 90)
	}
	return d
}

func randomText(r *rand.Rand) string {
	b := make([]byte, r.IntN(4))
	for i := range b {
		b[i] = pick(r, byte(1), 'a', 'b', 0x7F)
	}
	return string(b)
}

func randomBytes(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = pick(r, byte(0), 0, 1, 0xFE, 0xFF, 0xFF, 'a')
	}
	return b
}

// randomBound draws a value to compare with, which need not be storable.
func randomBound(r *rand.Rand, c *Column) types.Datum {
	d := randomValue(r, c)
	if r.IntN(3) > 0 {
		return d
	}
	switch c.Type {
	case TinyInt, SmallInt, Integer, UnsignedTinyInt, UnsignedSmallInt, UnsignedInt, UnsignedLong, BigInt:
		if c.SQL.Kind == types.Numeric {
			x := randomDecimal(r, 25)
			if r.IntN(4) == 0 {
				x.Form = pick(r, apd.NaN, apd.Infinite)
			}
			return types.NewDecimal(x)
		}
		return types.NewInt(pick(r, int64(-1), 1000, -1000, 1<<33, -1<<33, math.MaxInt64, math.MinInt64))
	case Float, UnsignedFloat, Double, UnsignedDouble:
		return types.NewFloat(pick(r, 0.1, -0.1, 1e300, -1e300, 1e-300, math.MaxFloat64, r.NormFloat64()))
	case Decimal:
		x := randomDecimal(r, 60)
		x.Exponent += int32(pick(r, 0, 0, 100, -100, 200, -200))
		if r.IntN(6) == 0 {
			x.Form = pick(r, apd.NaN, apd.Infinite)
		}
		return types.NewDecimal(x)
	case Varchar, Varbinary, VarbinaryEncoded:
		return types.NewBytes(append(bytes.Clone(d.Bytes), randomBytes(r, 2)...))
	case Char:
		return types.NewText(string(d.Bytes) + pick(r, "\x01", "a", "abcdef", "\xC3\xA9", "\x00b", "~\x1f"))
	case Binary:
		return types.NewBytes(randomBytes(r, pick(r, 0, 1, c.Width-1, c.Width+1)))
	case Time:
		return types.NewInt(d.Int + int64(r.IntN(2000)) - 1000)
	case TimeMicros:
		return types.NewInt(pick(r, d.Int+1, -1, microsPerDay+1, r.Int64()))
	}
	if c.SQL.Kind == types.Date {
		return types.NewInt(pick(r, int64(math.MaxInt64/2), math.MinInt64/2, -1, d.Int))
	}
	return types.NewInt(pick(r, d.Int/2+1, -1, r.Int64()))
}

func randomRow(r *rand.Rand, s *KeySchema) []types.Datum {
	vals := make([]types.Datum, len(s.Columns))
	for i := range vals {
		c := &s.Columns[i]
		if c.Nullable && r.IntN(3) == 0 {
			vals[i] = types.NullDatum
			continue
		}
		vals[i] = randomValue(r, c.cell())
		if c.Nullable && !s.Index && vals[i].Bytes != nil && len(vals[i].Bytes) == 0 {
			vals[i] = types.NullDatum // what adopted tables cannot tell from NULL
		}
	}
	return vals
}

// adopt makes s a table that Phoenix may have written.
func adopt(r *rand.Rand, s *KeySchema) {
	s.Adopted = true
	tail := true // NULL of fixed width is possible where NULLs follow to the end
	for i := len(s.Columns) - 1; i >= 0; i-- {
		c := &s.Columns[i]
		c.Phoenix = true
		c.Nullable = r.IntN(2) == 0 && (c.Type != VarbinaryEncoded || !c.Desc) && (tail || c.FixedWidth() == 0)
		tail = tail && c.Nullable
	}
}

// index makes the leading columns of s the parts of an index.
func index(r *rand.Rand, s *KeySchema) {
	s.Index = true
	if r.IntN(8) == 0 { // on the only column of a key, which is never NULL
		s.Columns, s.SaltColumns = s.Columns[:1], nil
		if c := &s.Columns[0]; c.Type == VarbinaryEncoded && !c.Desc {
			c.Type = Varbinary
		}
		return
	}
	if n := len(s.Columns); s.Columns[n-1].Type == Varbinary {
		s.Columns[n-1].Type = VarbinaryEncoded
	}
	parts := 1 + r.IntN(len(s.Columns))
	if parts == len(s.Columns) {
		s.Columns = append(s.Columns, KeyColumn{Column: Column{Type: Varbinary, SQL: types.Of(types.Bytea)}, Name: "row key"})
	}
	for i := range parts {
		c := &s.Columns[i]
		k := IndexColumn(c.Column)
		k.Name, k.Desc = c.Name, c.Desc
		*c = k
	}
}

// cell is the column as a table stores it.
func (c *KeyColumn) cell() *Column {
	if c.Stored != nil {
		return c.Stored
	}
	return &c.Column
}

func formatRow(vals []types.Datum) string {
	s := ""
	for _, v := range vals {
		s += " " + formatDatum(v)
	}
	return s
}

func formatSchema(s *KeySchema) string {
	out := fmt.Sprintf("buckets %d salt %v:", s.Buckets, s.SaltColumns)
	for _, c := range s.Columns {
		out += fmt.Sprintf(" %s(%d) %d", c.Type, c.Width, c.SQL.Kind)
		if c.Stored != nil {
			out += " of " + c.Stored.Type.String()
		}
		if c.Desc {
			out += " desc"
		}
		if c.Nullable {
			out += " null"
		}
		out += ","
	}
	return out
}
