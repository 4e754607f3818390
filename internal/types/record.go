package types

import (
	"bytes"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Shape is what the fields of a record are: a table's row, a query's, ROW(…). There is one
// Shape of each content, so that types with shapes compare by ==, for as long as somebody
// holds it.
type Shape struct {
	// Name is the table's of which it is a row, "" of others.
	Name   string
	Fields []Field

	id     uint64
	origin origin
	nested bool     // a field is a record, or an array of records
	made   sync.Map // what Kept keeps
}

// Field is a field of a record.
type Field struct {
	Name string
	T    T
}

var (
	shapes     sync.Map // what is in a Shape, as text -> weak.Pointer[Shape]
	shapesByID sync.Map // uint64 -> weak.Pointer[Shape]
	lastShape  atomic.Uint64
)

// ShapeOf gives the shape of fields.
func ShapeOf(name string, fields []Field) *Shape {
	var k strings.Builder
	k.WriteString(name)
	for _, f := range fields {
		fmt.Fprintf(&k, "\x00%s\x00%d.%d.%d.%p.%d.%p", f.Name, f.T.Kind, f.T.Elem, f.T.mod, f.T.Shape(), f.T.UserNumber(), f.T.Domain())
	}
	key := k.String()
	made := &Shape{Name: name, Fields: fields, id: lastShape.Add(1)}
	made.origin.shape = made
	made.nested = slices.ContainsFunc(fields, func(f Field) bool { return f.T.Kind == Record || f.T.Elem == Record })
	mine := weak.Make(made)
	for {
		had, ok := shapes.LoadOrStore(key, mine)
		if !ok {
			break
		}
		if s := had.(weak.Pointer[Shape]).Value(); s != nil {
			return s
		}
		shapes.CompareAndDelete(key, had)
	}
	shapesByID.Store(made.id, mine)
	runtime.AddCleanup(made, func(id uint64) {
		shapes.CompareAndDelete(key, mine)
		shapesByID.Delete(id)
	}, made.id)
	return made
}

// ID is the number of the shape, within this process.
func (s *Shape) ID() uint64 {
	if s == nil {
		return 0
	}
	return s.id
}

// ShapeByID gives the shape of a number; nil of 0, or where nobody holds it any more.
func ShapeByID(id uint64) *Shape {
	if p, ok := shapesByID.Load(id); ok {
		return p.(weak.Pointer[Shape]).Value()
	}
	return nil
}

// Table says that it is the row of a table. s may be nil.
func (s *Shape) Table() bool { return s != nil && s.Name != "" }

// Kept gives what make has made for key, once: it lives as long as the shape.
func (s *Shape) Kept(key any, make func() any) any {
	v, ok := s.made.Load(key)
	if !ok {
		v, _ = s.made.LoadOrStore(key, make())
	}
	return v
}

// RecordOf gives the type of records of a shape.
func RecordOf(s *Shape) T {
	if s == nil {
		return Of(Record)
	}
	return T{Kind: Record, of: &s.origin}
}

// Shape gives the shape of a record type, or of the records in an array's; nil where it is
// not known before there is a value.
func (t T) Shape() *Shape {
	if t.of == nil {
		return nil
	}
	return t.of.shape
}

// Bare gives t as signatures of functions name it: without modifier, a record of any shape.
func (t T) Bare() T {
	if t = t.Base(); t.Shape() != nil {
		t.of = nil
	}
	return t
}

// NewRecord makes a row value.
func NewRecord(s *Shape, values []Datum) Datum {
	return Datum{Array: &ArrayValue{Shape: s, Elems: values}}
}

// maxRecordText is how long the text of a record in a record may get.
//
//saltsql:limit types: bytes of the text of a record in a record (54000)
const maxRecordText = 256 << 20

// CheckNested is 54000 where the text of a record with records in it would be longer than 256
// MiB: each level doubles the quotes of those within.
func CheckNested(s *Shape, values []Datum) error {
	if !s.nested {
		return nil
	}
	if n, _ := textBound(RecordOf(s), NewRecord(s, values)); n > maxRecordText {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "the text of a record in records is longer than %d bytes", maxRecordText).
			WithHint("Each level doubles the quotes of those within: nest records less deeply, or make them jsonb by to_jsonb.")
	}
	return nil
}

// textBound bounds the length of a value's text and how many of its bytes are quotes and
// backslashes; beyond maxRecordText it counts no further.
func textBound(t T, d Datum) (n, quotes int64) {
	if d.Null {
		return 4, 0
	}
	switch {
	case t.Kind == Record || t.Kind == Array:
		n = 2
		for i, e := range d.Array.Elems {
			en, eq := textBound(d.Array.elemType(t, i), e)
			n, quotes = n+en+eq+3, quotes+2*eq+2
			if n > maxRecordText {
				break
			}
		}
	case t.Phys() == PhysBytes:
		n = int64(2*len(d.Bytes) + 2)
		quotes = int64(bytes.Count(d.Bytes, []byte{'"'}) + bytes.Count(d.Bytes, []byte{'\\'}) + 1)
	default:
		n = 64
	}
	return n, quotes
}

// FieldType gives the type of the i-th field of a record.
func (a *ArrayValue) FieldType(i int) T {
	if a.Shape != nil {
		return a.Shape.Fields[i].T
	}
	return Of(Text)
}

// elemType gives the type of the i-th element of a value of type t.
func (a *ArrayValue) elemType(t T, i int) T {
	if t.Kind == Record {
		return a.FieldType(i)
	}
	return t.ElemType()
}

// appendRecord prints (a,b,): NULL is nothing, an empty text is "".
func appendRecord(dst []byte, a *ArrayValue, env *IOEnv) []byte {
	dst = append(dst, '(')
	for i, e := range a.Elems {
		if i > 0 {
			dst = append(dst, ',')
		}
		if e.Null {
			continue
		}
		start := len(dst)
		dst = AppendText(dst, a.FieldType(i), e, env)
		s := string(dst[start:])
		if s != "" && !strings.ContainsAny(s, "\"\\(), \t\n\r\v\f") {
			continue
		}
		dst = append(dst[:start], '"')
		for k := range len(s) {
			if s[k] == '"' || s[k] == '\\' {
				dst = append(dst, s[k])
			}
			dst = append(dst, s[k])
		}
		dst = append(dst, '"')
	}
	return append(dst, ')')
}

// appendRecordBinary appends an int32 number of fields, and of each its type's OID, its
// length (-1 is NULL) and its bytes.
func appendRecordBinary(dst []byte, a *ArrayValue, env *IOEnv) ([]byte, error) {
	dst = be.AppendUint32(dst, uint32(len(a.Elems)))
	for i := range a.Elems {
		dst = be.AppendUint32(dst, a.FieldType(i).OID())
		var err error
		if dst, err = appendElems(dst, a.Elems[i:i+1], func(int) T { return a.FieldType(i) }, env); err != nil {
			return dst, err
		}
	}
	return dst, nil
}
