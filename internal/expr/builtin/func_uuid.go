package builtin

import (
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"encoding/binary"
	"encoding/hex"
	stdhash "hash"
	"sync/atomic"
	"time"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Functions of PostgreSQL's extension uuid-ossp, after RFC 4122.

func init() {
	constant := func(name, digits string) *expr.Func {
		b, err := hex.DecodeString(digits)
		if err != nil {
			panic(err)
		}
		return fn(name, ts(), tUUID, argFree(func(*expr.Env) (types.Datum, error) { return types.NewBytes(b), nil }))
	}
	ofTime := func(name string, anyNode bool) *expr.Func {
		return fn(name, ts(), tUUID, argFree(func(*expr.Env) (types.Datum, error) { return timeUUID(anyNode) })).AsVolatile()
	}
	expr.RegisterExtension(
		constant("uuid_nil", "00000000000000000000000000000000"),
		constant("uuid_ns_dns", "6ba7b8109dad11d180b400c04fd430c8"),
		constant("uuid_ns_url", "6ba7b8119dad11d180b400c04fd430c8"),
		constant("uuid_ns_oid", "6ba7b8129dad11d180b400c04fd430c8"),
		constant("uuid_ns_x500", "6ba7b8149dad11d180b400c04fd430c8"),
		ofTime("uuid_generate_v1", false),
		ofTime("uuid_generate_v1mc", true),
		fn("uuid_generate_v3", ts(tUUID, tText), tUUID, namedUUID(3, md5.New)),
		fn("uuid_generate_v4", ts(), tUUID, argFree(func(*expr.Env) (types.Datum, error) { return randomUUID() })).AsVolatile(),
		fn("uuid_generate_v5", ts(tUUID, tText), tUUID, namedUUID(5, sha1.New)),
	)
}

// namedUUID hashes a name within a namespace.
func namedUUID(version byte, algorithm func() stdhash.Hash) expr.Kernel {
	return datumKernel(func(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		h := algorithm()
		h.Write(a[0].Bytes)
		h.Write(a[1].Bytes)
		b := h.Sum(nil)[:16]
		b[6] = b[6]&0x0f | version<<4
		b[8] = b[8]&0x3f | 0x80
		return types.NewBytes(b), nil
	})
}

// uuidNode is a clock sequence and a node of the process's own. A node is random, with the
// multicast bit, and no address of the machine, which a UUID would give away.
var uuidNode = func() (b [8]byte) {
	rand.Read(b[:]) // does not fail
	return b
}()

// uuidTime is the time of the last UUID, in 100 ns since 1582-10-15. No two have the same.
var uuidTime atomic.Int64

// uuidEpoch is 1970-01-01 in units of uuidTime.
const uuidEpoch = 0x01b21dd213814000

// timeUUID is a UUID of version 1: of the clock, and of the process's node or any.
func timeUUID(anyNode bool) (types.Datum, error) {
	b := make([]byte, 16)
	copy(b[8:], uuidNode[:])
	if anyNode {
		if _, err := rand.Read(b[10:]); err != nil {
			return types.NullDatum, sqlerr.Internal(err, "could not generate random values")
		}
	}
	var t int64
	for {
		last := uuidTime.Load()
		t = max(time.Now().UnixNano()/100+uuidEpoch, last+1)
		if uuidTime.CompareAndSwap(last, t) {
			break
		}
	}
	binary.BigEndian.PutUint32(b, uint32(t))
	binary.BigEndian.PutUint16(b[4:], uint16(t>>32))
	binary.BigEndian.PutUint16(b[6:], uint16(t>>48)&0x0fff|0x1000)
	b[8] = b[8]&0x3f | 0x80
	b[10] |= 1
	return types.NewBytes(b), nil
}
