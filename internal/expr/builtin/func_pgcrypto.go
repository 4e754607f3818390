package builtin

import (
	"crypto/hmac"
	"crypto/md5"
	"crypto/rand"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	stdhash "hash"
	"strings"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Functions of PostgreSQL's extension pgcrypto.

func init() {
	expr.RegisterExtension(
		fn("digest", ts(tText, tText), tBytea, t2(digest)),
		fn("digest", ts(tBytea, tText), tBytea, t2(digest)),
		fn("hmac", ts(tText, tText, tText), tBytea, t3(keyedDigest)),
		fn("hmac", ts(tBytea, tBytea, tText), tBytea, t3(keyedDigest)),
		fn("gen_random_bytes", ts(tInt4), tBytea, datumKernel(randomBytes)).AsVolatile(),
	)
}

// digests are the algorithms, without the dashes that their names may have.
var digests = map[string]func() stdhash.Hash{
	"md5": md5.New, "sha1": sha1.New, "sha224": sha256.New224, "sha256": sha256.New, "sha384": sha512.New384, "sha512": sha512.New,
}

// digestNamed finds an algorithm, in whatever case: 22023 if there is none.
func digestNamed(name []byte) (func() stdhash.Hash, error) {
	written := strings.ToLower(string(name))
	plain := written
	if rest, ok := strings.CutPrefix(plain, "sha2-"); ok {
		plain = "sha" + rest
	} else if rest, ok := strings.CutPrefix(plain, "sha-"); ok {
		plain = "sha" + rest
	}
	if f := digests[plain]; f != nil {
		return f, nil
	}
	return nil, sqlerr.New(sqlerr.InvalidParameterValue, `Cannot use "%s": No such hash algorithm`, written).
		WithHint("The algorithms are md5, sha1, sha224, sha256, sha384 and sha512.")
}

func digest(dst, data, name []byte) ([]byte, error) {
	f, err := digestNamed(name)
	if err != nil {
		return nil, err
	}
	h := f()
	h.Write(data)
	return h.Sum(dst), nil
}

func keyedDigest(dst, data, key, name []byte) ([]byte, error) {
	f, err := digestNamed(name)
	if err != nil {
		return nil, err
	}
	h := hmac.New(f, key)
	h.Write(data)
	return h.Sum(dst), nil
}

// randomBytes gives 1 to 1024 random bytes; 39000 for another length.
func randomBytes(_ *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	if a[0].Int < 1 || a[0].Int > 1024 {
		return types.NullDatum, sqlerr.New(sqlerr.ExternalRoutineInvocation, "Length not in range")
	}
	b := make([]byte, a[0].Int)
	if _, err := rand.Read(b); err != nil {
		return types.NullDatum, sqlerr.Internal(err, "could not generate random values")
	}
	return types.NewBytes(b), nil
}
