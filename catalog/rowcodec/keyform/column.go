package keyform

import (
	"bytes"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Class is what the ASC bytes of a column are, between which a form translates.
type Class uint8

// The classes. None is of types that have no form.
const (
	None Class = iota
	Text
	Bytes
	Fixed // bytes of one size: a uuid
	Int16 // big-endian with the sign turned over, as all numbers
	Int32
	Int64
	Millis // of a date, or of a time
	Micros // ms in 8 bytes, ns in 4
)

// size is how many bytes a number of the class has as a key has it, at most.
func (c Class) size() int {
	switch c {
	case Int16:
		return 2
	case Int32:
		return 4
	}
	return 8
}

// Column is a column of a key in a format.
type Column struct {
	Name  string
	Class Class
	SQL   types.T
	Desc  bool
	Form  // set by Bind
}

// Unordered says that keys do not sort as the values of the column do: numbers of
// varying width, and texts with a separator over which some bytes of them sort:
//
//	'a!#' < 'a#'
func (c *Column) Unordered() bool {
	f := &c.Form
	switch {
	case f.Width > 0:
		return false
	case c.numeric():
		return true
	case len(f.Sep) == 0:
		return false
	}
	return c.Class != Text || f.Sep[0] != 0
}

// numeric says that the key has a number: of an integer, or of a time.
func (c *Column) numeric() bool {
	switch c.Class {
	case Int16, Int32, Int64, Micros:
		return true
	case Millis:
		return c.Kind != AsText
	}
	return false
}

// Bind has the column written as f says, and fills in what follows from its type; last says that no column
// is behind it. 22023 and 0A000 for what cannot be.
func (c *Column) Bind(own Form, last bool) error {
	c.Form = own
	f := &c.Form
	if f.Kind == "" {
		f.Kind = c.naturalForm()
	}
	fits := f.Unit == 0 && f.Max == 0
	number := f.Kind == AsDecimal || f.Kind == AsHex || f.Kind == AsBinary
	switch c.Class {
	case Text:
		fits = fits && f.Kind == AsText
	case Bytes:
		fits = fits && (f.Kind == AsBinary || f.Kind == AsHex && f.Width%2 == 0)
	case Fixed:
		fits = fits && c.SQL.Kind == types.UUID && f.Kind != AsDecimal
		f.Width = map[Kind]int{AsText: 36, AsHex: 32, AsBinary: 16}[f.Kind]
	case Int16, Int32, Int64:
		fits = f.Unit == 0 && number
	case Micros:
		f.Unit = 1
		fits = number
	case Millis:
		if f.Kind == AsText {
			fits = fits && c.SQL.Kind == types.Date
			f.Width = isoDate
			break
		}
		if f.Unit == 0 {
			f.Unit = microsPerMs
		}
		fits = number && f.Unit%microsPerMs == 0 && c.SQL.Kind != types.Date
	default:
		return sqlerr.Unsupported("a column of type "+c.SQL.String()+" has no form in KEY FORMAT",
			"Declare it as text, bytea, smallint, integer, bigint, date, timestamp or uuid.")
	}
	if !fits {
		return formatError("column %q of type %s is not written as %s", c.Name, c.SQL, f.Kind)
	}
	if c.numeric() {
		if f.Kind == AsBinary && f.Width == 0 {
			f.Width = c.Class.size()
		}
		switch most := map[Kind]int{AsDecimal: 19, AsHex: 16, AsBinary: 8}[f.Kind]; {
		case f.Width > most:
			return formatError("column %q has a width of %d, over %d", c.Name, f.Width, most)
		case f.Max != 0 && f.Width == 0 && f.Kind == AsDecimal:
			for n := f.Max; n > 0; n /= 10 {
				f.Width++
			}
		case f.Width == 0 && f.Kind == AsHex:
			f.Width = 2 * c.Class.size()
		}
	}
	switch {
	case f.Width < 0 || f.Max < 0:
		return formatError("column %q has a width or a maximum below 0", c.Name)
	case c.Desc != (f.Max > 0):
		return formatError("column %q sorts otherwise in the key than PRIMARY KEY says", c.Name).
			WithHint("A column written as MAX - %s is DESC in the key, others are not.", c.Name)
	case f.Width == 0 && len(f.Sep) == 0 && !last:
		return formatError("nothing tells where column %q ends", c.Name).
			WithHint("Give it a WIDTH, or a literal behind it.")
	case f.Width == 0 && len(f.Sep) > 0 && (c.numeric() || f.Kind == AsHex) && len(bytes.Trim(f.Sep, "-0123456789abcdef")) == 0:
		return formatError("the literal %q behind column %q may be a part of it", f.Sep, c.Name)
	}
	return nil
}

// naturalForm is the kind of a column for which none is given.
func (c *Column) naturalForm() Kind {
	switch {
	case c.Class == Bytes:
		return AsBinary
	case c.Class == Text, c.Class == Fixed, c.SQL.Kind == types.Date:
		return AsText
	}
	return AsDecimal
}
