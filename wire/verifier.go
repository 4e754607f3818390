package wire

import "github.com/saltsql/saltsql/internal/verifier"

// DefaultIterations is Postgres's number of SCRAM iterations.
const DefaultIterations = 4096

const saltBytes = 16

// Verifier is what a server keeps of a password: enough to check it, not
// enough to log in with.
type Verifier struct {
	Iterations int
	Salt       []byte
	StoredKey  []byte // 32 bytes
	ServerKey  []byte // 32 bytes
}

// NewVerifier makes a verifier with a fresh salt.
func NewVerifier(password string, iterations int) (Verifier, error) {
	v, err := verifier.New(password, iterations)
	return Verifier(v), err
}

// String gives the verifier as pg_authid.rolpassword holds it:
// SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey, in base64.
func (v Verifier) String() string { return verifier.Verifier(v).String() }

// ParseVerifier reads what String prints, so verifiers can be taken over from Postgres.
func ParseVerifier(text string) (Verifier, error) {
	v, err := verifier.Parse(text)
	return Verifier(v), err
}
