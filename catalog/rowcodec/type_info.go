package rowcodec

import (
	"github.com/saltsql/saltsql/catalog/rowcodec/decimal"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/storage"
)

// MaxKeyBytes is the longest physical row key, salt included: Bigtable's limit,
// held on every store.
const MaxKeyBytes = storage.MaxRowKeyBytes

// MaxDecimalDigits is the most significant digits a DECIMAL of Phoenix keeps.
const MaxDecimalDigits = decimal.MaxDigits

var typeNames = [numTypes]string{
	Invalid:           "INVALID",
	Boolean:           "BOOLEAN",
	TinyInt:           "TINYINT",
	SmallInt:          "SMALLINT",
	Integer:           "INTEGER",
	BigInt:            "BIGINT",
	UnsignedTinyInt:   "UNSIGNED_TINYINT",
	UnsignedSmallInt:  "UNSIGNED_SMALLINT",
	UnsignedInt:       "UNSIGNED_INT",
	UnsignedLong:      "UNSIGNED_LONG",
	Float:             "FLOAT",
	Double:            "DOUBLE",
	UnsignedFloat:     "UNSIGNED_FLOAT",
	UnsignedDouble:    "UNSIGNED_DOUBLE",
	Decimal:           "DECIMAL",
	Varchar:           "VARCHAR",
	Char:              "CHAR",
	Varbinary:         "VARBINARY",
	VarbinaryEncoded:  "VARBINARY_ENCODED",
	Binary:            "BINARY",
	Date:              "DATE",
	Time:              "TIME",
	Timestamp:         "TIMESTAMP",
	Array:             "ARRAY",
	UnsignedDate:      "UNSIGNED_DATE",
	UnsignedTime:      "UNSIGNED_TIME",
	UnsignedTimestamp: "UNSIGNED_TIMESTAMP",
	Int16BE:           "INT16_BE",
	Int32BE:           "INT32_BE",
	Int64BE:           "INT64_BE",
	Float32BE:         "FLOAT32_BE",
	Float64BE:         "FLOAT64_BE",
	AsText:            "AS_TEXT",
	TimeMicros:        "TIME_MICROS",
	Interval:          "INTERVAL",
}

// String gives Phoenix's name of the type.
func (t Type) String() string {
	if t < numTypes {
		return typeNames[t]
	}
	return typeNames[Invalid]
}

// ParseType finds a type by Phoenix's name, in capitals; Array is none.
func ParseType(name string) (Type, bool) {
	for t := Boolean; t < numTypes; t++ {
		if typeNames[t] == name && t != Array {
			return t, true
		}
	}
	return Invalid, false
}

// FixedWidth is the size of a value in bytes, or 0 where values vary in size.
func (c *Column) FixedWidth() int { return fixedWidth(c.Type, c.Width) }

func fixedWidth(t Type, width int) int {
	switch t {
	case Boolean, TinyInt, UnsignedTinyInt:
		return 1
	case SmallInt, UnsignedSmallInt, Int16BE:
		return 2
	case Integer, UnsignedInt, Float, UnsignedFloat, Int32BE, Float32BE:
		return 4
	case BigInt, UnsignedLong, Double, UnsignedDouble, Date, Time, UnsignedDate, UnsignedTime, Int64BE, Float64BE, TimeMicros:
		return 8
	case Timestamp, UnsignedTimestamp:
		return 12
	case Interval:
		return 16
	case Char, Binary:
		return width
	}
	return 0
}

// signBit is what is XORed to the top bit so that bytes sort as signed values.
func (t Type) signBit() uint64 {
	switch t {
	case UnsignedTinyInt, UnsignedSmallInt, UnsignedInt, UnsignedLong,
		UnsignedDate, UnsignedTime, UnsignedTimestamp:
		return 0
	case TinyInt:
		return 1 << 7
	case SmallInt:
		return 1 << 15
	case Integer:
		return 1 << 31
	}
	return 1 << 63
}

// signed is the type whose rules t follows apart from the sign bit.
func (t Type) signed() Type {
	switch t {
	case UnsignedDate:
		return Date
	case UnsignedTime:
		return Time
	case UnsignedTimestamp:
		return Timestamp
	}
	return t
}

// intRange gives the values an integer type of column c takes: Phoenix's own
// range (the unsigned types use half of theirs there), or all the bytes can
// hold where the SQL type is wider than they are.
func (c *Column) intRange() (lo int64, hi uint64) {
	kind := c.SQL.Kind
	wide := func(half, full uint64, wider ...types.Kind) uint64 {
		for _, k := range wider {
			if k == kind {
				return full
			}
		}
		return half
	}
	switch c.Type {
	case TinyInt:
		return -1 << 7, 1<<7 - 1
	case SmallInt:
		return -1 << 15, 1<<15 - 1
	case Integer:
		return -1 << 31, 1<<31 - 1
	case UnsignedTinyInt:
		return 0, wide(1<<7-1, 1<<8-1, types.Int4, types.Int8, types.Numeric)
	case UnsignedSmallInt:
		return 0, wide(1<<15-1, 1<<16-1, types.Int4, types.Int8, types.Numeric)
	case UnsignedInt:
		return 0, wide(1<<31-1, 1<<32-1, types.Int8, types.Numeric)
	case UnsignedLong:
		return 0, wide(1<<63-1, 1<<64-1, types.Numeric)
	}
	return -1 << 63, 1<<63 - 1
}

// TimeStorage is how time columns of our own are stored: time(3) and less as Phoenix does,
// in milliseconds, and others in microseconds.
func TimeStorage(t types.T) Type {
	if p := t.Typmod(); p >= 0 && p <= 3 {
		return Time
	}
	return TimeMicros
}
