package keyform

import (
	"encoding/binary"
	"encoding/hex"
	"slices"
	"strconv"

	"github.com/saltsql/saltsql/catalog/rowcodec/keyhash"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// MaxBuckets is the most prefixes that a salt formula makes: an ordered read of all
// reads so many scans at once.
//
//saltsql:limit tables: prefixes that the salt formula of an attached table makes
const MaxBuckets = 1024

// Salt makes the prefix of a key from parts of it: hash(args) % Buckets.
type Salt struct {
	Hash    string    `json:"hash"` // see keyhash.Names
	Args    []SaltArg `json:"args"`
	Buckets int       `json:"buckets"`
	// Signed takes the hash as a signed number, and the remainder without its sign, as
	// Java does: phoenix31 always is.
	Signed bool `json:"signed,omitempty"`
	// Digits takes the first Width hexadecimal digits of the hash in place of a remainder.
	Digits bool   `json:"digits,omitempty"`
	Kind   Kind   `json:"kind"` // decimal, hex or binary
	Width  int    `json:"width,omitempty"`
	Sep    []byte `json:"sep,omitempty"` // the literal behind it

	keys []*Column // by args: the key's column; nil for literals
	arg  []*Column // by args: it in the form that is hashed
}

// SaltArg is a piece of what is hashed.
type SaltArg struct {
	Literal []byte `json:"literal,omitempty"`
	Column  int    `json:"column"`         // of the key; -1 for a literal
	Form    *Form  `json:"form,omitempty"` // nil: as in the key
}

func (f *Salt) bind(cols []Column) error {
	if keyhash.Named(f.Hash) == nil {
		return sqlerr.New(sqlerr.InvalidParameterValue, "KEY FORMAT: hash %q is not known", f.Hash).
			WithHint("The hashes are %v.", keyhash.Names())
	}
	f.Signed = f.Signed || f.Hash == keyhash.Phoenix
	if f.Digits {
		if f.Kind != AsHex || f.Width < 1 || f.Width > 2 {
			return formatError("a salt without %% n is the first 1 or 2 hexadecimal digits of the hash").
				WithHint("Write HEX WIDTH 2 behind it.")
		}
		f.Buckets = 1 << (4 * f.Width)
	}
	if f.Buckets < 1 || f.Buckets > MaxBuckets {
		return formatError("the salt has %d values; between 1 and %d can be read and merged", f.Buckets, MaxBuckets)
	}
	if f.Kind == AsBinary && f.Width == 0 {
		f.Width = 1
	}
	digits := len(f.appendNumber(nil, f.Buckets-1))
	switch {
	case f.Width > 0 && digits > f.Width, f.Kind == AsBinary && f.Width == 1 && f.Buckets > 256, f.Width > 8:
		return formatError("a salt of %d values has no width of %d", f.Buckets, f.Width)
	case len(f.Args) == 0:
		return formatError("the salt formula names no column")
	}
	f.keys, f.arg = make([]*Column, len(f.Args)), make([]*Column, len(f.Args))
	for i := range f.Args {
		a := &f.Args[i]
		if a.Column < 0 {
			continue
		}
		c := &cols[a.Column]
		f.keys[i], f.arg[i] = c, c
		if a.Form != nil {
			own := *c
			own.Desc = a.Form.Max > 0
			if err := own.Bind(*a.Form, true); err != nil {
				return err
			}
			f.arg[i] = &own
		}
	}
	if len(f.Columns()) == 0 {
		return formatError("the salt formula names no column")
	}
	return nil
}

// Columns lists the key columns that are hashed.
func (f *Salt) Columns() (cols []int) {
	for _, a := range f.Args {
		if a.Column >= 0 && !slices.Contains(cols, a.Column) {
			cols = append(cols, a.Column)
		}
	}
	return cols
}

// appendNumber writes number n of the formula.
func (f *Salt) appendNumber(dst []byte, n int) []byte {
	switch f.Kind {
	case AsBinary:
		for i := f.Width - 1; i >= 0; i-- {
			dst = append(dst, byte(n>>(8*i)))
		}
		return dst
	case AsHex:
		return appendDigits(dst, uint64(n), 16, f.Width)
	}
	return appendDigits(dst, uint64(n), 10, f.Width)
}

// appendDigits writes u with zeros before it up to width.
func appendDigits(dst []byte, u uint64, base, width int) []byte {
	var buf [64]byte
	digits := strconv.AppendUint(buf[:0], u, base)
	for range width - len(digits) {
		dst = append(dst, '0')
	}
	return append(dst, digits...)
}

// AppendHashed appends the bytes that are hashed of a key's parts, each without its separator.
func (f *Salt) AppendHashed(dst []byte, part func(column int) []byte) []byte {
	for i := range f.Args {
		k, a := f.keys[i], f.arg[i]
		switch {
		case k == nil:
			dst = append(dst, f.Args[i].Literal...)
		case k == a:
			dst = append(dst, part(f.Args[i].Column)...)
		default:
			var buf [64]byte
			if asc, ok := k.Decode(buf[:0], part(f.Args[i].Column)); ok {
				dst, _ = a.Append(dst, asc)
			}
		}
	}
	return dst
}

// number gives that of the formula for hashed bytes.
func (f *Salt) number(hashed []byte) int {
	sum, size := keyhash.Named(f.Hash)(hashed)
	if f.Digits {
		var digits [2]byte
		hex.Encode(digits[:], sum[:1])
		n, _ := strconv.ParseUint(string(digits[:f.Width]), 16, 16)
		return int(n)
	}
	n := uint64(f.Buckets)
	if f.Signed {
		switch size {
		case 4:
			return keyhash.Bucket(int32(binary.BigEndian.Uint32(sum[:])), f.Buckets)
		case 8:
			r := int64(binary.BigEndian.Uint64(sum[:])) % int64(n)
			return int(max(r, -r))
		}
	}
	r := uint64(0)
	for _, b := range sum[:size] {
		r = (r<<8 | uint64(b)) % n
	}
	return int(r)
}
