package wire

import (
	"crypto/tls"
	"crypto/x509"

	"github.com/xdg-go/scram"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// answerTLS answers a request for encryption and, if it is granted, encrypts.
func (c *conn) answerTLS() error {
	if c.creds.tls == nil {
		_, err := c.nc.Write([]byte{'N'})
		return err
	}
	if c.in.buffered() {
		// What came in the clear before the handshake may be from someone in the middle.
		return sqlerr.New(sqlerr.ProtocolViolation, "received unencrypted data after SSL request")
	}
	if _, err := c.nc.Write([]byte{'S'}); err != nil {
		return err
	}
	t := tls.Server(c.nc, c.creds.tls)
	if err := t.Handshake(); err != nil {
		c.log.Debug("TLS handshake failed", "error", err)
		return errTerminate
	}
	c.tls, c.nc = t, t
	c.in.src, c.out.dst = t, t
	return nil
}

// channelBinding gives what ties SCRAM to this TLS connection: the hash of the
// server's certificate (RFC 5929, tls-server-end-point). ok is false without TLS,
// where the certificate depends on the handshake, or where its signature names no hash.
func (c *conn) channelBinding() (b scram.ChannelBinding, ok bool) {
	cfg := c.creds.tls
	if c.tls == nil || len(cfg.Certificates) != 1 || cfg.GetCertificate != nil || cfg.GetConfigForClient != nil {
		return b, false
	}
	leaf, err := x509.ParseCertificate(cfg.Certificates[0].Certificate[0])
	if err != nil {
		return b, false
	}
	b, err = scram.NewTLSServerEndpointBinding(&tls.ConnectionState{PeerCertificates: []*x509.Certificate{leaf}})
	return b, err == nil
}
