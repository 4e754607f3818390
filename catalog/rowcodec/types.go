package rowcodec

import "github.com/saltsql/saltsql/internal/types"

// Type is a Phoenix storage type: it alone decides the bytes of a value.
type Type uint8

// The storage types, by Phoenix's names.
const (
	Invalid Type = iota
	Boolean
	TinyInt
	SmallInt
	Integer
	BigInt
	UnsignedTinyInt
	UnsignedSmallInt
	UnsignedInt
	UnsignedLong
	Float
	Double
	UnsignedFloat
	UnsignedDouble
	Decimal
	Varchar
	Char             // Width bytes
	Varbinary        // raw; in a key only as its last column, ASC
	VarbinaryEncoded // 00 escaped as 00 FF, separator 00 01
	Binary           // Width bytes
	Date
	Time
	Timestamp
	Array // of Column.Elem
	// As Date, Time and Timestamp without the sign flip: nothing before 1970.
	UnsignedDate
	UnsignedTime
	UnsignedTimestamp
	// Cells of tables that others write: big-endian in two's complement, IEEE's bytes, and
	// the text that SQL shows.
	Int16BE
	Int32BE
	Int64BE
	Float32BE
	Float64BE
	AsText
	// Phoenix has none of these: µs since midnight as a BIGINT, and the three parts of an
	// interval, which is in no key.
	TimeMicros
	Interval
	numTypes
)

// Column says how the values of one SQL column are stored.
type Column struct {
	Type  Type
	Elem  Type // Type == Array: the element's storage type
	Width int  // Char, Binary: bytes (of the elements, for arrays of them)
	// Phoenix says that Phoenix reads the column too: values that it has no bytes for are
	// refused (0A000, 22003, 22004).
	Phoenix bool
	// SQL is the type of the values handed in and out. A Date whose SQL type
	// is a timestamp keeps its time of day, as Phoenix's DATE does.
	SQL types.T
}
