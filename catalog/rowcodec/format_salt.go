package rowcodec

import (
	"crypto/md5"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"hash/fnv"
	"math/bits"
	"slices"
	"strconv"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// MaxFormatBuckets is the most prefixes that a salt formula makes: an ordered read of all
// reads so many scans at once.
//
//saltsql:limit tables: prefixes that the salt formula of an attached table makes
const MaxFormatBuckets = 1024

// SaltFormula makes the prefix of a key from parts of it: hash(args) % Buckets.
type SaltFormula struct {
	Hash    string    `json:"hash"` // see saltHashes
	Args    []SaltArg `json:"args"`
	Buckets int       `json:"buckets"`
	// Signed takes the hash as a signed number, and the remainder without its sign, as
	// Java does: phoenix31 always is.
	Signed bool `json:"signed,omitempty"`
	// Digits takes the first Width hexadecimal digits of the hash in place of a remainder.
	Digits bool     `json:"digits,omitempty"`
	Kind   FormKind `json:"kind"` // decimal, hex or binary
	Width  int      `json:"width,omitempty"`
	Sep    []byte   `json:"sep,omitempty"` // the literal behind it

	keys []*KeyColumn // by args: the key's column; nil for literals
	arg  []*KeyColumn // by args: it in the form that is hashed
}

// SaltArg is a piece of what is hashed.
type SaltArg struct {
	Literal []byte   `json:"literal,omitempty"`
	Column  int      `json:"column"`         // of the key; -1 for a literal
	Form    *KeyForm `json:"form,omitempty"` // nil: as in the key
}

// saltHash gives a hash, big-endian, and how many bytes of sum it has.
type saltHash func(b []byte) (sum [20]byte, size int)

var saltHashes = map[string]saltHash{
	HashPhoenix31: func(b []byte) ([20]byte, int) { return hash32(uint32(phoenix31(b))) },
	"fnv1a": func(b []byte) ([20]byte, int) {
		h := fnv.New32a()
		h.Write(b)
		return hash32(h.Sum32())
	},
	"fnv1a64": func(b []byte) (sum [20]byte, size int) {
		h := fnv.New64a()
		h.Write(b)
		binary.BigEndian.PutUint64(sum[:], h.Sum64())
		return sum, 8
	},
	"murmur3": func(b []byte) ([20]byte, int) { return hash32(murmur3(b)) },
	"crc32":   func(b []byte) ([20]byte, int) { return hash32(crc32.ChecksumIEEE(b)) },
	"md5": func(b []byte) (sum [20]byte, size int) {
		h := md5.Sum(b)
		return sum, copy(sum[:], h[:])
	},
	"sha1": func(b []byte) ([20]byte, int) { return sha1.Sum(b), sha1.Size },
}

func hash32(h uint32) (sum [20]byte, size int) {
	binary.BigEndian.PutUint32(sum[:], h)
	return sum, 4
}

// murmur3 is MurmurHash3_x86_32 with seed 0.
func murmur3(b []byte) uint32 {
	const c1, c2 = 0xcc9e2d51, 0x1b873593
	mix := func(k uint32) uint32 { return bits.RotateLeft32(k*c1, 15) * c2 }
	h, n := uint32(0), len(b)
	for ; len(b) >= 4; b = b[4:] {
		h = bits.RotateLeft32(h^mix(binary.LittleEndian.Uint32(b)), 13)*5 + 0xe6546b64
	}
	k := uint32(0)
	for i, c := range b {
		k |= uint32(c) << (8 * i)
	}
	h ^= mix(k) ^ uint32(n)
	h = (h ^ h>>16) * 0x85ebca6b
	h = (h ^ h>>13) * 0xc2b2ae35
	return h ^ h>>16
}

// SaltHashes lists the hashes of salt formulas.
func SaltHashes() []string {
	var names []string
	for n := range saltHashes {
		names = append(names, n)
	}
	slices.Sort(names)
	return names
}

func (f *SaltFormula) bind(s *KeySchema) error {
	if saltHashes[f.Hash] == nil {
		return sqlerr.New(sqlerr.InvalidParameterValue, "KEY FORMAT: hash %q is not known", f.Hash).
			WithHint("The hashes are %v.", SaltHashes())
	}
	f.Signed = f.Signed || f.Hash == HashPhoenix31
	if f.Digits {
		if f.Kind != FormHex || f.Width < 1 || f.Width > 2 {
			return formatError("a salt without %% n is the first 1 or 2 hexadecimal digits of the hash").
				WithHint("Write HEX WIDTH 2 behind it.")
		}
		f.Buckets = 1 << (4 * f.Width)
	}
	if f.Buckets < 1 || f.Buckets > MaxFormatBuckets {
		return formatError("the salt has %d values; between 1 and %d can be read and merged", f.Buckets, MaxFormatBuckets)
	}
	if f.Kind == FormBinary && f.Width == 0 {
		f.Width = 1
	}
	digits := len(f.appendNumber(nil, f.Buckets-1))
	switch {
	case f.Width > 0 && digits > f.Width, f.Kind == FormBinary && f.Width == 1 && f.Buckets > 256, f.Width > 8:
		return formatError("a salt of %d values has no width of %d", f.Buckets, f.Width)
	case len(f.Args) == 0:
		return formatError("the salt formula names no column")
	}
	f.keys, f.arg = make([]*KeyColumn, len(f.Args)), make([]*KeyColumn, len(f.Args))
	for i := range f.Args {
		a := &f.Args[i]
		if a.Column < 0 {
			continue
		}
		c := &s.Columns[a.Column]
		f.keys[i], f.arg[i] = c, c
		if a.Form != nil {
			own, form := *c, *a.Form
			own.Form, own.Desc = &form, form.Max > 0
			if err := own.bindForm(true); err != nil {
				return err
			}
			f.arg[i] = &own
		}
	}
	if len(f.columns()) == 0 {
		return formatError("the salt formula names no column")
	}
	return nil
}

// columns lists the key columns that are hashed.
func (f *SaltFormula) columns() (cols []int) {
	for _, a := range f.Args {
		if a.Column >= 0 && !slices.Contains(cols, a.Column) {
			cols = append(cols, a.Column)
		}
	}
	return cols
}

// appendNumber writes number n of the formula.
func (f *SaltFormula) appendNumber(dst []byte, n int) []byte {
	switch f.Kind {
	case FormBinary:
		for i := f.Width - 1; i >= 0; i-- {
			dst = append(dst, byte(n>>(8*i)))
		}
		return dst
	case FormHex:
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

// appendHashed appends the bytes that are hashed of a key's parts.
func (f *SaltFormula) appendHashed(dst []byte, parts []keyPart) []byte {
	for i := range f.Args {
		k, a := f.keys[i], f.arg[i]
		switch {
		case k == nil:
			dst = append(dst, f.Args[i].Literal...)
		case k == a:
			dst = append(dst, parts[f.Args[i].Column]...)
		default:
			var buf [64]byte
			if asc, ok := k.decodeForm(buf[:0], parts[f.Args[i].Column]); ok {
				dst, _ = a.appendForm(dst, asc)
			}
		}
	}
	return dst
}

// bucket gives the number of hashed bytes.
func (f *SaltFormula) number(hashed []byte) int {
	sum, size := saltHashes[f.Hash](hashed)
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
			return bucketOfHash(int32(binary.BigEndian.Uint32(sum[:])), f.Buckets)
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
