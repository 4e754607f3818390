package wire

import (
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/xdg-go/scram"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// The client's messages of a SCRAM exchange are read here only for what is wrong with
// them: errors are PostgreSQL's. The exchange itself is package scram's.
//
//	first   n,,n=user,r=nonce   y,,…   p=tls-server-end-point,,…
//	final   c=header and binding in base64,r=both nonces,p=proof

const bindingType = "tls-server-end-point"

// checkSCRAMFirst tests the first message for the mechanism chosen. offered says that the
// server has offered to bind the exchange to the TLS channel.
func checkSCRAMFirst(first, mechanism string, offered bool) error {
	m := scramMessage{rest: first}
	switch flag := m.at(); {
	case first == "":
		return malformedSCRAM("The message is empty.")
	case strings.IndexByte(first, 0) >= 0:
		return malformedSCRAM("Message length does not match input length.")
	case (flag == 'n' || flag == 'y') && mechanism == scramPlus:
		return malformedSCRAM("The client selected SCRAM-SHA-256-PLUS, but the SCRAM message does not include channel binding data.")
	case flag == 'y' && offered:
		return sqlerr.New(sqlerr.InvalidAuthorizationSpec, "SCRAM channel binding negotiation error").
			WithDetail("The client supports SCRAM channel binding but thinks the server does not.  However, this server does support channel binding.")
	case flag == 'n' || flag == 'y':
		m.rest = m.rest[1:]
		if m.at() != ',' {
			return malformedSCRAM("Comma expected, but found character \"%s\".", shown(m.at()))
		}
		m.rest = m.rest[1:]
	case flag == 'p' && mechanism != scramPlus:
		return malformedSCRAM("The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message includes channel binding data.")
	case flag == 'p':
		kind, err := m.attribute('p')
		if err != nil {
			return err
		}
		if kind != bindingType {
			return sqlerr.New(sqlerr.ProtocolViolation, "unsupported SCRAM channel-binding type \"%.30s\"", kind)
		}
	default:
		return malformedSCRAM("Unexpected channel-binding flag \"%s\".", shown(flag))
	}
	switch m.at() {
	case 'a':
		return sqlerr.New(sqlerr.FeatureNotSupported, "client uses authorization identity, but it is not supported")
	case ',':
		m.rest = m.rest[1:]
	default:
		return malformedSCRAM("Unexpected attribute \"%s\" in client-first-message.", shown(m.at()))
	}
	if m.at() == 'm' {
		return sqlerr.New(sqlerr.FeatureNotSupported, "client requires an unsupported SCRAM extension")
	}
	if _, err := m.attribute('n'); err != nil {
		return err
	}
	nonce, err := m.attribute('r')
	if err != nil {
		return err
	}
	for i := range len(nonce) {
		if nonce[i] < 0x21 || nonce[i] > 0x7e {
			return sqlerr.New(sqlerr.ProtocolViolation, "non-printable characters in SCRAM nonce")
		}
	}
	for m.rest != "" {
		if _, _, err := m.any(); err != nil {
			return err
		}
	}
	return nil
}

// checkSCRAMFinal tests the final message, given the first, the nonce that the server has
// sent, and what the exchange is bound to where its mechanism binds.
func checkSCRAMFinal(final, first, nonce string, binding *scram.ChannelBinding) error {
	m := scramMessage{rest: final}
	switch {
	case final == "":
		return malformedSCRAM("The message is empty.")
	case strings.IndexByte(final, 0) >= 0:
		return malformedSCRAM("Message length does not match input length.")
	}
	bound, err := m.attribute('c')
	if err != nil {
		return err
	}
	want := base64.StdEncoding.EncodeToString([]byte(first[:1] + ",,"))
	if binding != nil {
		want = base64.StdEncoding.EncodeToString(append([]byte("p="+bindingType+",,"), binding.Data...))
	}
	switch {
	case bound == want:
	case binding != nil:
		return sqlerr.New(sqlerr.InvalidAuthorizationSpec, "SCRAM channel binding check failed")
	default:
		return sqlerr.New(sqlerr.ProtocolViolation, "unexpected SCRAM channel-binding attribute in client-final-message")
	}
	sent, err := m.attribute('r')
	if err != nil {
		return err
	}
	for {
		name, value, err := m.any()
		if err != nil {
			return err
		}
		if name != 'p' {
			continue // an extension
		}
		if proof, err := base64.StdEncoding.DecodeString(value); err != nil || len(proof) != scramKeyBytes {
			return malformedSCRAM("Malformed proof in client-final-message.")
		}
		break
	}
	if m.rest != "" {
		return malformedSCRAM("Garbage found at the end of client-final-message.")
	}
	if sent != nonce {
		return sqlerr.New(sqlerr.ProtocolViolation, "invalid SCRAM response").WithDetail("Nonce does not match.")
	}
	return nil
}

// scramKeyBytes is the length of a proof.
const scramKeyBytes = 32

// scramMessage is what is left of a message.
type scramMessage struct{ rest string }

// at is the next character, 0 at the end.
func (m *scramMessage) at() byte {
	if m.rest == "" {
		return 0
	}
	return m.rest[0]
}

// attribute reads name=value, which must come next.
func (m *scramMessage) attribute(name byte) (string, error) {
	if m.at() != name {
		return "", malformedSCRAM("Expected attribute \"%c\" but found \"%s\".", name, shown(m.at()))
	}
	_, value, err := m.any()
	return value, err
}

// any reads the next name=value.
func (m *scramMessage) any() (name byte, value string, err error) {
	name = m.at()
	switch {
	case name == 0:
		return 0, "", malformedSCRAM("Attribute expected, but found end of string.")
	case (name < 'a' || name > 'z') && (name < 'A' || name > 'Z'):
		return 0, "", malformedSCRAM("Attribute expected, but found invalid character \"%s\".", shown(name))
	}
	m.rest = m.rest[1:]
	if m.at() != '=' {
		return 0, "", malformedSCRAM("Expected character \"=\" for attribute \"%c\".", name)
	}
	value, m.rest, _ = strings.Cut(m.rest[1:], ",")
	return name, value, nil
}

func malformedSCRAM(format string, args ...any) error {
	return sqlerr.New(sqlerr.ProtocolViolation, "malformed SCRAM message").WithDetail(format, args...)
}

// shown is a character as an error may hold it.
func shown(c byte) string {
	if c >= 0x21 && c <= 0x7e {
		return fmt.Sprintf("'%c'", c)
	}
	return fmt.Sprintf("0x%02x", c)
}
