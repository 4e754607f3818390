package rowcodec

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// KeyFormat is the row key of a table whose rows others write, in a format of their own:
//
//	'm#' SALT fnv1a(host) % 16 DECIMAL WIDTH 2 '#' host '#' (MAX - ts WIDTH 19)
//	m#07#web-1#9223370321854775807
//
// What stands before the first column is the same for all keys of a bucket: it takes the
// place of the salt byte, and what is below it that of the logical key. Columns keep the
// encodings that rowcodec's types have for all that concerns conditions; a KeyForm turns
// those bytes into the ones of the key and back.
type KeyFormat struct {
	Lead  []byte       `json:"lead,omitempty"` // before the salt
	Salt  *SaltFormula `json:"salt,omitempty"` // nil: none
	Parts []KeyForm    `json:"parts"`          // of the key columns, in order

	prefixes [][]byte // by bucket, ascending; one of an unsalted table
	rank     []int    // by the formula's number: its bucket
}

// FormKind is how a value is written in the key.
type FormKind string

// The kinds of forms.
const (
	FormText    FormKind = "text"    // as SQL shows it: texts, uuids, dates
	FormDecimal FormKind = "decimal" // digits
	FormHex     FormKind = "hex"     // lower-case hexadecimal digits
	FormBinary  FormKind = "binary"  // bytes; numbers are big-endian and not below 0
)

// KeyForm is how a column's values are written in the key.
type KeyForm struct {
	Kind FormKind `json:"kind"`
	// Width in bytes; 0 where values vary in size.
	Width int `json:"width,omitempty"`
	// Max, of a reversed number n, is what n is taken from: Max - n is written. 0 is none.
	Max int64 `json:"max,omitempty"`
	// Unit of the number that a time is written as, in µs: 1, 1000 or 1000000.
	Unit int64 `json:"unit,omitempty"`
	// Sep is the literal behind the value.
	Sep []byte `json:"sep,omitempty"`
}

// UnorderedKey says that keys do not sort as the values of the column do: numbers of
// varying width, and texts with a separator over which some bytes of them sort:
//
//	'a!#' < 'a#'
func (c *KeyColumn) UnorderedKey() bool {
	f := c.Form
	switch {
	case f == nil || f.Width > 0:
		return false
	case c.numeric():
		return true
	case len(f.Sep) == 0:
		return false
	}
	return c.Type != Varchar || f.Sep[0] != 0
}

// numeric says that the key has a number: of an integer, or of a time.
func (c *KeyColumn) numeric() bool {
	switch c.Type {
	case SmallInt, Integer, BigInt, Timestamp:
		return true
	case Date:
		return c.Form.Kind != FormText
	}
	return false
}

// FixedWidth is the size of the column's values in the key, without a separator; 0 where
// it varies.
func (c *KeyColumn) FixedWidth() int {
	if c.Form != nil {
		return c.Form.Width
	}
	return c.Column.FixedWidth()
}

// isoDate is the size of yyyy-mm-dd.
const isoDate = 10

// bindFormat checks the format against the columns, fills in the widths that follow from
// their types, and makes the prefixes of the buckets.
func (s *KeySchema) bindFormat() error {
	own := *s.Format // schemas share it
	f := &own
	s.Format, f.Parts = f, slices.Clone(f.Parts)
	if len(f.Parts) != len(s.Columns) {
		return sqlerr.Internal(nil, "a key format of %d parts for %d columns", len(f.Parts), len(s.Columns))
	}
	for i := range s.Columns {
		c := &s.Columns[i]
		c.Form = &f.Parts[i]
		if err := c.bindForm(i == len(s.Columns)-1); err != nil {
			return nameColumn(err, s.Table, c.Name)
		}
	}
	if f.Salt == nil {
		f.prefixes, f.rank = [][]byte{f.Lead}, []int{0}
		return nil
	}
	salt := *f.Salt
	f.Salt = &salt
	if err := f.Salt.bind(s); err != nil {
		return err
	}
	s.Buckets = f.Salt.Buckets
	s.SaltColumns = f.Salt.columns()
	number := make([]int, s.Buckets)
	f.prefixes, f.rank = make([][]byte, s.Buckets), make([]int, s.Buckets)
	for n := range number {
		number[n] = n
		f.prefixes[n] = append(f.Salt.appendNumber(slices.Clone(f.Lead), n), f.Salt.Sep...)
	}
	slices.SortFunc(number, func(a, b int) int { return bytes.Compare(f.prefixes[a], f.prefixes[b]) })
	for b, n := range number {
		f.rank[n] = b
	}
	slices.SortFunc(f.prefixes, bytes.Compare)
	for b := 1; b < len(f.prefixes); b++ {
		if bytes.HasPrefix(f.prefixes[b], f.prefixes[b-1]) {
			return formatError("the salt %q begins as %q does", f.prefixes[b], f.prefixes[b-1]).
				WithHint("Give the salt a WIDTH, or a literal behind it.")
		}
	}
	return nil
}

func formatError(format string, args ...any) *sqlerr.Error {
	return sqlerr.New(sqlerr.InvalidParameterValue, "KEY FORMAT: "+format, args...)
}

func (c *KeyColumn) bindForm(last bool) error {
	f := c.Form
	if f.Kind == "" {
		f.Kind = c.naturalForm()
	}
	fits := f.Unit == 0 && f.Max == 0
	number := f.Kind == FormDecimal || f.Kind == FormHex || f.Kind == FormBinary
	switch c.Type {
	case Varchar:
		fits = fits && f.Kind == FormText
	case Varbinary:
		fits = fits && (f.Kind == FormBinary || f.Kind == FormHex && f.Width%2 == 0)
	case Binary:
		fits = fits && c.SQL.Kind == types.UUID && f.Kind != FormDecimal
		f.Width = map[FormKind]int{FormText: 36, FormHex: 32, FormBinary: 16}[f.Kind]
	case SmallInt, Integer, BigInt:
		fits = f.Unit == 0 && number
	case Timestamp:
		f.Unit = 1
		fits = number
	case Date:
		if f.Kind == FormText {
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
		if f.Kind == FormBinary && f.Width == 0 {
			f.Width = min(c.Column.FixedWidth(), 8)
		}
		switch most := map[FormKind]int{FormDecimal: 19, FormHex: 16, FormBinary: 8}[f.Kind]; {
		case f.Width > most:
			return formatError("column %q has a width of %d, over %d", c.Name, f.Width, most)
		case f.Max != 0 && f.Width == 0 && f.Kind == FormDecimal:
			for n := f.Max; n > 0; n /= 10 {
				f.Width++
			}
		case f.Width == 0 && f.Kind == FormHex:
			f.Width = 2 * min(c.Column.FixedWidth(), 8)
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
	case f.Width == 0 && len(f.Sep) > 0 && (c.numeric() || f.Kind == FormHex) && len(bytes.Trim(f.Sep, "-0123456789abcdef")) == 0:
		return formatError("the literal %q behind column %q may be a part of it", f.Sep, c.Name)
	}
	return nil
}

// naturalForm is the kind of a column for which none is given.
func (c *KeyColumn) naturalForm() FormKind {
	switch {
	case c.Type == Varbinary:
		return FormBinary
	case c.Type == Varchar, c.Type == Binary, c.SQL.Kind == types.Date:
		return FormText
	}
	return FormDecimal
}

// prefix gives what stands before the logical keys of a bucket; do not change it.
func (s *KeySchema) prefix(bucket int) []byte {
	if s.Format != nil {
		return s.Format.prefixes[max(bucket, 0)]
	}
	return bucketByte(bucket)
}

// PrefixLen is how many bytes stand before the logical keys of a bucket.
func (s *KeySchema) PrefixLen(bucket int) int { return len(s.prefix(bucket)) }

// saltBytes are the bytes 0 to 255.
var saltBytes = func() []byte {
	b := make([]byte, MaxBuckets)
	for i := range b {
		b[i] = byte(i)
	}
	return b
}()

// bucketOf finds the bucket whose prefix a key has; -1 for none.
func (f *KeyFormat) bucketOf(key []byte) int {
	i, found := slices.BinarySearchFunc(f.prefixes, key, bytes.Compare)
	if !found {
		i--
	}
	if i < 0 || !bytes.HasPrefix(key, f.prefixes[i]) {
		return -1
	}
	return i
}
