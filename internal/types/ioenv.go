package types

import (
	"time"

	"github.com/saltsql/saltsql/internal/types/datetime"
)

// IOEnv is what text input and output depend on beside the value: the session's
// settings. The zero IOEnv is UTC with Postgres's defaults and no names.
type IOEnv struct {
	TimeZone *time.Location // nil is UTC
	Style    datetime.Style
	// FewFloatDigits says that extra_float_digits is 0 or below: floats are
	// printed with 15 + ExtraFloatDigits significant digits (6 + for float4)
	// instead of the shortest text that reads back as the same value.
	FewFloatDigits   bool
	ExtraFloatDigits int
	// ByteaEscape is bytea_output = 'escape'.
	ByteaEscape bool
	// Kept asks for text that reads back as the same value by whoever reads it, where what
	// clients see may not: that of a jsonpath, and dates and intervals in another style.
	Kept bool
	// Now is what 'now', 'today' and the like mean; zero is the wall clock.
	Now time.Time
	// Names resolves regclass text; nil where there is no catalog.
	Names NameResolver
	// UsedContext is set by ParseText when the result depends on this IOEnv:
	// the time zone, the style, the clock or the catalog.
	UsedContext bool
}

// NameResolver maps relation names and OIDs for regclass.
type NameResolver interface {
	// RelationOID finds a relation by its possibly qualified and quoted name.
	RelationOID(name string) (oid uint32, err error)
	// RelationName prints the name of a relation, ok false if there is none.
	RelationName(oid uint32) (name string, ok bool)
}

func (e *IOEnv) zone() *time.Location {
	if e == nil || e.TimeZone == nil {
		return time.UTC
	}
	return e.TimeZone
}

func (e *IOEnv) style() datetime.Style {
	if e == nil || e.Kept {
		return datetime.Style{}
	}
	return e.Style
}

func (e *IOEnv) now() time.Time {
	if e == nil || e.Now.IsZero() {
		return time.Now()
	}
	return e.Now
}

func (e *IOEnv) touch() {
	if e != nil {
		e.UsedContext = true
	}
}
