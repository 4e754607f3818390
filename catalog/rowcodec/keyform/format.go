package keyform

import (
	"bytes"
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Format is the row key of a table whose rows others write, in a format of their own:
//
//	'm#' SALT fnv1a(host) % 16 DECIMAL WIDTH 2 '#' host '#' (MAX - ts WIDTH 19)
//	m#07#web-1#9223370321854775807
//
// What stands before the first column is the same for all keys of a bucket: it takes the
// place of the salt byte, and what is below it that of the logical key. Columns keep the
// encodings that rowcodec's types have for all that concerns conditions; a Form turns
// those bytes into the ones of the key and back.
type Format struct {
	Lead  []byte `json:"lead,omitempty"` // before the salt
	Salt  *Salt  `json:"salt,omitempty"` // nil: none
	Parts []Form `json:"parts"`          // of the key columns, in order

	prefixes [][]byte // by bucket, ascending; one of an unsalted table
	rank     []int    // by the formula's number: its bucket
}

// Kind is how a value is written in the key.
type Kind string

// The kinds of forms.
const (
	AsText    Kind = "text"    // as SQL shows it: texts, uuids, dates
	AsDecimal Kind = "decimal" // digits
	AsHex     Kind = "hex"     // lower-case hexadecimal digits
	AsBinary  Kind = "binary"  // bytes; numbers are big-endian and not below 0
)

// Form is how a column's values are written in the key.
type Form struct {
	Kind Kind `json:"kind"`
	// Width in bytes; 0 where values vary in size.
	Width int `json:"width,omitempty"`
	// Max, of a reversed number n, is what n is taken from: Max - n is written. 0 is none.
	Max int64 `json:"max,omitempty"`
	// Unit of the number that a time is written as, in µs: 1, 1000 or 1000000.
	Unit int64 `json:"unit,omitempty"`
	// Sep is the literal behind the value.
	Sep []byte `json:"sep,omitempty"`
}

// Bind checks the format against the columns of the key, and makes the prefixes of the buckets. The
// format is left as it is: schemas share it. column is the one that an error is of, -1 for none.
func (f *Format) Bind(cols []Column) (_ *Format, column int, err error) {
	if len(f.Parts) != len(cols) {
		return nil, -1, sqlerr.Internal(nil, "a key format of %d parts for %d columns", len(f.Parts), len(cols))
	}
	own := *f
	own.Parts = make([]Form, len(cols))
	for i := range cols {
		if err := cols[i].Bind(f.Parts[i], i == len(cols)-1); err != nil {
			return nil, i, err
		}
		own.Parts[i] = cols[i].Form
	}
	return &own, -1, own.bindSalt(cols)
}

// bindSalt makes the prefixes, of which none may begin another.
func (f *Format) bindSalt(cols []Column) error {
	if f.Salt == nil {
		f.prefixes, f.rank = [][]byte{f.Lead}, []int{0}
		return nil
	}
	salt := *f.Salt
	f.Salt = &salt
	if err := f.Salt.bind(cols); err != nil {
		return err
	}
	number := make([]int, f.Salt.Buckets)
	f.prefixes, f.rank = make([][]byte, len(number)), make([]int, len(number))
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

// Prefix gives what stands before the logical keys of a bucket, -1 of an unsalted table; do not change it.
func (f *Format) Prefix(bucket int) []byte { return f.prefixes[max(bucket, 0)] }

// Bucket gives the bucket of the bytes that AppendHashed makes.
func (f *Format) Bucket(hashed []byte) int { return f.rank[f.Salt.number(hashed)] }

// BucketOf finds the bucket whose prefix a key has; -1 for none.
func (f *Format) BucketOf(key []byte) int {
	i, found := slices.BinarySearchFunc(f.prefixes, key, bytes.Compare)
	if !found {
		i--
	}
	if i < 0 || !bytes.HasPrefix(key, f.prefixes[i]) {
		return -1
	}
	return i
}
