package verifier

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/xdg-go/scram"
)

// Mechanism begins the text of every verifier.
const Mechanism = "SCRAM-SHA-256"

const (
	saltBytes     = 16
	maxIterations = 10_000_000
)

// Verifier holds the keys that SCRAM derives from a password.
type Verifier struct {
	Iterations int
	Salt       []byte
	StoredKey  []byte // 32 bytes
	ServerKey  []byte // 32 bytes
}

// Iterations is PostgreSQL's number of SCRAM iterations.
const Iterations = 4096

// New makes a verifier with a fresh salt.
func New(password string, iterations int) (Verifier, error) {
	if password == "" || iterations < 1 || iterations > maxIterations {
		return Verifier{}, errors.New("a verifier needs a password and 1 to 10,000,000 iterations")
	}
	salt := make([]byte, saltBytes)
	rand.Read(salt)
	return derive(password, salt, iterations)
}

// Matches says that password is the one that the verifier was made of. It takes as long as its
// iterations do.
func (v Verifier) Matches(password string) bool {
	is, err := derive(password, v.Salt, v.Iterations)
	return err == nil && subtle.ConstantTimeCompare(is.StoredKey, v.StoredKey) == 1
}

func derive(password string, salt []byte, iterations int) (Verifier, error) {
	client, err := scram.SHA256.NewClient("", password, "")
	if err != nil {
		// Not a text that SASLprep takes: Postgres uses such passwords as they are.
		if client, err = scram.SHA256.NewClientUnprepped("", password, ""); err != nil {
			return Verifier{}, err
		}
	}
	keys, err := client.GetStoredCredentialsWithError(scram.KeyFactors{Salt: string(salt), Iters: iterations})
	if err != nil {
		return Verifier{}, err
	}
	return Verifier{Iterations: iterations, Salt: salt, StoredKey: keys.StoredKey, ServerKey: keys.ServerKey}, nil
}

// String gives the verifier as pg_authid.rolpassword holds it:
// SCRAM-SHA-256$iterations:salt$StoredKey:ServerKey, in base64.
func (v Verifier) String() string {
	enc := base64.StdEncoding.EncodeToString
	return fmt.Sprintf("%s$%d:%s$%s:%s", Mechanism, v.Iterations, enc(v.Salt), enc(v.StoredKey), enc(v.ServerKey))
}

// Parse reads what String prints, so verifiers can be taken over from Postgres.
func Parse(text string) (Verifier, error) {
	bad := errors.New("not a SCRAM-SHA-256 verifier")
	parts := strings.Split(text, "$")
	if len(parts) != 3 || parts[0] != Mechanism {
		return Verifier{}, bad
	}
	iterations, salt, ok1 := strings.Cut(parts[1], ":")
	stored, server, ok2 := strings.Cut(parts[2], ":")
	n, err := strconv.Atoi(iterations)
	if err != nil || !ok1 || !ok2 || n < 1 || n > maxIterations {
		return Verifier{}, bad
	}
	v := Verifier{Iterations: n}
	for _, f := range []struct {
		text string
		dst  *[]byte
	}{{salt, &v.Salt}, {stored, &v.StoredKey}, {server, &v.ServerKey}} {
		if *f.dst, err = base64.StdEncoding.DecodeString(f.text); err != nil {
			return Verifier{}, bad
		}
	}
	if len(v.Salt) == 0 || len(v.StoredKey) != sha256.Size || len(v.ServerKey) != sha256.Size {
		return Verifier{}, bad
	}
	return v, nil
}
