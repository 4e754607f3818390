package wire

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"os"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
	"github.com/xdg-go/scram"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Auth knows the users that may connect. It may be asked from many goroutines.
type Auth interface {
	// Verifier gives a user's SCRAM-SHA-256 verifier; ok is false for an unknown user.
	Verifier(user string) (v Verifier, ok bool)
}

// Users is an Auth that holds its users in memory.
type Users map[string]Verifier

// Verifier gives a user's verifier.
func (u Users) Verifier(user string) (Verifier, bool) {
	v, ok := u[user]
	return v, ok
}

// maxAuthMessage bounds what a stranger may send, as Postgres does.
//
//saltsql:limit connections: bytes of a message before a client is known
const maxAuthMessage = 65535

const (
	scramPlain = "SCRAM-SHA-256"
	scramPlus  = "SCRAM-SHA-256-PLUS"
)

// mockSecret makes the salts of users that do not exist; they stay the same
// while the process lives, as real ones do.
var mockSecret = func() []byte {
	b := make([]byte, 32)
	rand.Read(b)
	return b
}()

func (c *conn) authenticateSCRAM(user string) error {
	binding, bound := c.channelBinding()
	mechanisms := []string{scramPlain}
	if bound {
		mechanisms = []string{scramPlus, scramPlain}
	}
	c.out.send(&pgproto3.AuthenticationSASL{AuthMechanisms: mechanisms})
	m, err := c.authMessage()
	if err != nil {
		return err
	}
	mechanism := string(m.cstring())
	first := string(m.bytes(int(m.int32()))) // the next message takes its place
	if err := m.end(); err != nil {
		return err
	}
	if mechanism != scramPlain && (mechanism != scramPlus || !bound) {
		return sqlerr.New(sqlerr.ProtocolViolation, "client selected an invalid SASL authentication mechanism")
	}
	if err := checkSCRAMFirst(first, mechanism, bound); err != nil {
		return err
	}
	conversation, err := c.conversation(user, binding, bound)
	if err != nil {
		return err
	}
	challenge, err := conversation.Step(first)
	if err != nil {
		return sqlerr.New(sqlerr.ProtocolViolation, "malformed SCRAM message").WithDetail("%s.", err)
	}
	c.out.send(&pgproto3.AuthenticationSASLContinue{Data: []byte(challenge)})
	if m, err = c.authMessage(); err != nil {
		return err
	}
	nonce, _, _ := strings.Cut(strings.TrimPrefix(challenge, "r="), ",")
	var bindTo *scram.ChannelBinding
	if mechanism == scramPlus {
		bindTo = &binding
	}
	if err := checkSCRAMFinal(string(m.body), first, nonce, bindTo); err != nil {
		return err
	}
	final, err := conversation.Step(string(m.body))
	if err != nil || !conversation.Valid() {
		return c.failedLogin(sqlerr.New(sqlerr.InvalidPassword, `password authentication failed for user "%s"`, user), user)
	}
	c.out.send(&pgproto3.AuthenticationSASLFinal{Data: []byte(final)})
	return nil
}

// authMessage sends what is due and waits for the client's answer.
func (c *conn) authMessage() (*message, error) {
	if err := c.out.flush(); err != nil {
		return nil, err
	}
	typ, body, err := c.in.message(func(byte) int { return maxAuthMessage })
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) && c.state.err() == nil:
		return nil, sqlerr.New(sqlerr.QueryCanceled, "canceling authentication due to timeout")
	case err != nil:
		return nil, err
	case typ == msgTerminate:
		return nil, errTerminate
	case typ != msgPassword:
		return nil, sqlerr.New(sqlerr.ProtocolViolation, "expected SASL response, got message type %d", typ)
	}
	return &message{body: body}, nil
}

// conversation makes the server's side of one SCRAM exchange. The user is that of the
// start-up packet: the name in the exchange does not count, as in Postgres.
func (c *conn) conversation(user string, binding scram.ChannelBinding, bound bool) (*scram.ServerConversation, error) {
	v, ok := c.srv.verifier(c.creds, user)
	if !ok {
		v = mockVerifier(user)
	}
	server, err := scram.SHA256.NewServer(func(string) (scram.StoredCredentials, error) {
		return scram.StoredCredentials{
			KeyFactors: scram.KeyFactors{Salt: string(v.Salt), Iters: v.Iterations},
			StoredKey:  v.StoredKey, ServerKey: v.ServerKey,
		}, nil
	})
	if err != nil {
		return nil, err
	}
	if bound {
		return server.NewConversationWithChannelBinding(binding), nil
	}
	return server.NewConversation(), nil
}

// mockVerifier is for a user that does not exist: the exchange goes the same way as
// with a wrong password, so that nobody learns who exists.
func mockVerifier(user string) Verifier {
	salt := hmac.New(sha256.New, mockSecret)
	salt.Write([]byte(user))
	keys := make([]byte, 2*sha256.Size)
	rand.Read(keys)
	return Verifier{
		Iterations: DefaultIterations, Salt: salt.Sum(nil)[:saltBytes],
		StoredKey: keys[:sha256.Size], ServerKey: keys[sha256.Size:],
	}
}
