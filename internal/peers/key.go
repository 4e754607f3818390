package peers

import (
	"crypto/ed25519"
	"crypto/hkdf"
	"crypto/sha256"
	"crypto/subtle"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/big"
)

// SecretSize is how many random bytes a secret has.
const SecretSize = 32

var errStranger = errors.New("the other side does not have the store's secret")

// config is TLS in which both sides prove that they have the key that follows from secret (HKDF,
// RFC 5869; Ed25519, RFC 8032). Names and times of the certificates mean nothing.
func config(secret []byte) (*tls.Config, error) {
	seed, err := hkdf.Key(sha256.New, secret, nil, "saltsql peers", ed25519.SeedSize)
	if err != nil {
		return nil, err
	}
	key := ed25519.NewKeyFromSeed(seed)
	self := &x509.Certificate{SerialNumber: big.NewInt(1)}
	cert, err := x509.CreateCertificate(nil, self, self, key.Public(), key)
	if err != nil {
		return nil, err
	}
	return &tls.Config{
		MinVersion:         tls.VersionTLS13,
		Certificates:       []tls.Certificate{{Certificate: [][]byte{cert}, PrivateKey: key}},
		ClientAuth:         tls.RequireAnyClientCert,
		InsecureSkipVerify: true, // VerifyConnection asks for the key, in place of a chain and a name
		VerifyConnection: func(s tls.ConnectionState) error {
			if len(s.PeerCertificates) == 0 {
				return errStranger
			}
			theirs, ok := s.PeerCertificates[0].PublicKey.(ed25519.PublicKey)
			if !ok || subtle.ConstantTimeCompare(theirs, key.Public().(ed25519.PublicKey)) != 1 {
				return errStranger
			}
			return nil
		},
		SessionTicketsDisabled: true,
	}, nil
}
