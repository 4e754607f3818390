package builtin

import (
	"bytes"
	"encoding/binary"
	"math/bits"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
)

// PostgreSQL's hashes of values: programs take hashtext for the number of an advisory lock,
// and for a number that stays with a text. They are those of a little-endian machine.

func init() {
	add := func(name, extended string, t types.T, of func(h *hash, d types.Datum)) {
		expr.RegisterFuncs(
			fn(name, ts(t), tInt4, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
				var h hash
				of(&h, a[0])
				return types.NewInt(int64(int32(h.c))), nil
			})),
			fn(extended, ts(t, tInt8), tInt8, datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
				h := hash{seed: uint64(a[1].Int)}
				of(&h, a[0])
				return types.NewInt(int64(uint64(h.b)<<32 | uint64(h.c))), nil
			})),
		)
	}
	whole := func(h *hash, d types.Datum) { h.bytes(d.Bytes) }
	number := func(h *hash, d types.Datum) { h.number(uint32(d.Int)) }
	add("hashtext", "hashtextextended", tText, whole)
	add("hashname", "hashnameextended", tName, whole)
	add("hashbpchar", "hashbpcharextended", tBpchar, func(h *hash, d types.Datum) { h.bytes(bytes.TrimRight(d.Bytes, " ")) })
	add("uuid_hash", "uuid_hash_extended", tUUID, whole)
	add("hashint2", "hashint2extended", tInt2, number)
	add("hashint4", "hashint4extended", tInt4, number)
	add("hashoid", "hashoidextended", tOID, number)
	add("hashint8", "hashint8extended", tInt8, func(h *hash, d types.Datum) {
		// Numbers that a smaller type has too hash as they do there.
		low, high := uint32(d.Int), uint32(d.Int>>32)
		if d.Int < 0 {
			high = ^high
		}
		h.number(low ^ high)
	})
}

// hash is the state of Bob Jenkins's lookup3, as PostgreSQL begins it.
type hash struct {
	a, b, c uint32
	seed    uint64
}

func (h *hash) begin(n int) {
	h.a = 0x9e3779b9 + uint32(n) + 3923095
	h.b, h.c = h.a, h.a
	if h.seed != 0 {
		h.a += uint32(h.seed >> 32)
		h.b += uint32(h.seed)
		h.mix()
	}
}

func (h *hash) number(v uint32) {
	h.begin(4)
	h.a += v
	h.final()
}

func (h *hash) bytes(s []byte) {
	h.begin(len(s))
	for ; len(s) >= 12; s = s[12:] {
		h.a += binary.LittleEndian.Uint32(s)
		h.b += binary.LittleEndian.Uint32(s[4:])
		h.c += binary.LittleEndian.Uint32(s[8:])
		h.mix()
	}
	var rest [12]byte
	copy(rest[:], s)
	h.a += binary.LittleEndian.Uint32(rest[:])
	h.b += binary.LittleEndian.Uint32(rest[4:])
	h.c += binary.LittleEndian.Uint32(rest[8:]) << 8 // its lowest byte is the length's
	h.final()
}

func (h *hash) mix() {
	turn := func(x *uint32, y, add *uint32, k int) {
		*x -= *y
		*x ^= bits.RotateLeft32(*y, k)
		*y += *add
	}
	for _, k := range [][3]int{{4, 6, 8}, {16, 19, 4}} {
		turn(&h.a, &h.c, &h.b, k[0])
		turn(&h.b, &h.a, &h.c, k[1])
		turn(&h.c, &h.b, &h.a, k[2])
	}
}

func (h *hash) final() {
	turn := func(x *uint32, y uint32, k int) {
		*x ^= y
		*x -= bits.RotateLeft32(y, k)
	}
	turn(&h.c, h.b, 14)
	turn(&h.a, h.c, 11)
	turn(&h.b, h.a, 25)
	turn(&h.c, h.b, 16)
	turn(&h.a, h.c, 4)
	turn(&h.b, h.a, 14)
	turn(&h.c, h.b, 24)
}
