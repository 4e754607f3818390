package types

// Kind is a SQL type without its modifier.
type Kind uint8

// The kinds. Their order has no meaning.
const (
	Unknown Kind = iota // an untyped literal or parameter
	Bool
	Int2
	Int4
	Int8
	Float4
	Float8
	Numeric
	Text
	Varchar
	Bpchar // char(n)
	Name
	Bytea
	UUID
	Date
	Time
	Timestamp
	Timestamptz
	Interval
	JSON
	JSONB
	OID
	Regclass
	Regtype
	Void
	Record
	Array   // of T.Elem
	CharOne // "char", one byte

	// Names of objects: OIDs that are read and printed as names.
	Regproc
	Regprocedure
	Regoper
	Regoperator
	Regnamespace
	Regrole
	Regcollation

	XID
	CID
	TID   // a block's number << 16, and a row's in it
	PgLSN // with its highest bit turned over, so that it compares as signed

	Inet    // as the binary format has it, see inet.go
	ACLItem // as its text has it
	JSONPath

	// Enum is a type that CREATE TYPE … AS ENUM made: see User. Without one it is no type.
	Enum

	// What the system catalogs show as text and nobody writes.
	NodeTree
	NDistinct
	Dependencies
	MCVList

	// Vectors are arrays of one dimension that count from 0: their T is an Array
	// whose Elem is the vector's own kind. See Of and ElemType.
	Int2vector
	Oidvector
	NumKinds
)

// T is a type with its modifier. It is comparable.
type T struct {
	Kind Kind
	Elem Kind // Kind == Array: the element's kind, or a vector's own
	// Mod is the typmod as in pg_attribute.atttypmod, plus one so that the zero T
	// has none: read it with Typmod. For an array it is the element's.
	mod int32
	of  *origin
}

// origin is what a type is beside its kind; nil of a type that has nothing of it. There is one of
// each content, so that a T is small, and comparable: that of a Shape and that of an enum's User
// are in these, and a domain's User has those over what lies under the domain.
type origin struct {
	shape  *Shape  // of a record, or of an array of records
	user   *User   // of an Enum, or of an array's elements
	domain *User   // that the type is; the rest is what lies under it
	under  *origin // a domain's, without it
	next   *origin // of the domain
}

// Of gives the type of a kind without modifier.
func Of(k Kind) T {
	if k >= Int2vector && k < NumKinds {
		return T{Kind: Array, Elem: k}
	}
	return T{Kind: k}
}

// IsVector says that t is int2vector or oidvector.
func (t T) IsVector() bool { return t.Kind == Array && t.Elem >= Int2vector }

// ArrayOf gives the array type over elem.
func ArrayOf(elem T) T {
	return T{Kind: Array, Elem: elem.Kind, mod: elem.mod, of: elem.Plain().of}
}

// ElemType gives an array's element type.
func (t T) ElemType() T {
	switch t.Elem {
	case Int2vector:
		return T{Kind: Int2}
	case Oidvector:
		return T{Kind: OID}
	}
	return T{Kind: t.Elem, mod: t.mod, of: t.Plain().of}
}

// Typmod is the modifier as Postgres stores it; -1 is none. varchar(n) and
// char(n): n+4; numeric(p,s): (p<<16 | s)+4; time and timestamp: the precision.
func (t T) Typmod() int32 { return t.mod - 1 }

// WithTypmod gives t with another modifier.
func (t T) WithTypmod(m int32) T { t.mod = m + 1; return t }

// WithLength gives varchar(n) or char(n).
func (t T) WithLength(n int) T { return t.WithTypmod(int32(n) + 4) }

// Length gives n of varchar(n) or char(n).
func (t T) Length() (n int, ok bool) {
	if m := t.Typmod(); m >= 4 {
		return int(m) - 4, true
	}
	return 0, false
}

// WithPrecision gives numeric(p,s).
func (t T) WithPrecision(p, s int) T {
	return t.WithTypmod((int32(p)<<16 | int32(s)&0xffff) + 4)
}

// Precision gives p and s of numeric(p,s).
func (t T) Precision() (p, s int, ok bool) {
	m := t.Typmod()
	if m < 4 {
		return 0, 0, false
	}
	return int((m - 4) >> 16), int(int16((m - 4) & 0xffff)), true
}

// Phys is the Go representation of a kind's values: see Datum and vec.Vec.
type Phys uint8

const (
	PhysBool     Phys = iota // bool
	PhysInt                  // int64
	PhysFloat                // float64 (float4 values are rounded to float32)
	PhysDecimal              // apd.Decimal; NaN and infinities by its Form
	PhysBytes                // []byte: text in UTF-8, bytea, 16-byte uuid, json text
	PhysInterval             // IntervalValue
	PhysArray                // *ArrayValue
)

// Phys gives the representation of t's values.
//
//	date                    days since 1970-01-01 (int64)
//	time                    µs since midnight
//	timestamp, timestamptz  µs since 1970-01-01 00:00 (UTC for timestamptz)
//	±infinity               math.MaxInt64 and math.MinInt64, for dates too
//	char(n)                 text without its trailing blanks
//	jsonb                   canonical text
//	jsonpath                text that reads back as it is, see package jsonpath
//	enum                    the Code of its Label
func (t T) Phys() Phys {
	switch t.Kind {
	case Bool:
		return PhysBool
	case Int2, Int4, Int8, OID, Regclass, Regtype, Date, Time, Timestamp, Timestamptz,
		Regproc, Regprocedure, Regoper, Regoperator, Regnamespace, Regrole, Regcollation, XID, CID, TID, PgLSN, Enum:
		return PhysInt
	case Float4, Float8:
		return PhysFloat
	case Numeric:
		return PhysDecimal
	case Interval:
		return PhysInterval
	case Array, Record:
		return PhysArray
	}
	return PhysBytes
}
