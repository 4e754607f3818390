package wire

import (
	"bytes"
	"encoding/binary"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// The types of messages a client sends.
const (
	msgBind         = 'B'
	msgClose        = 'C'
	msgCopyData     = 'd'
	msgCopyDone     = 'c'
	msgCopyFail     = 'f'
	msgDescribe     = 'D'
	msgExecute      = 'E'
	msgFlush        = 'H'
	msgFunctionCall = 'F'
	msgParse        = 'P'
	msgPassword     = 'p' // also SASLInitialResponse and SASLResponse
	msgQuery        = 'Q'
	msgSync         = 'S'
	msgTerminate    = 'X'
)

// smallMessage bounds messages that have no reason to be large, as Postgres does.
const smallMessage = 10000

// message reads the fields of a body one after another. A fault sticks: later
// fields are empty, and end tells of it.
type message struct {
	body []byte
	err  *sqlerr.Error
}

func (m *message) fault(what string) {
	if m.err == nil {
		m.err = sqlerr.New(sqlerr.ProtocolViolation, "%s", what)
	}
	m.body = nil
}

// bytes takes n bytes; they belong to the body.
func (m *message) bytes(n int) []byte {
	if n < 0 || n > len(m.body) {
		m.fault("insufficient data left in message")
		return nil
	}
	b := m.body[:n:n]
	m.body = m.body[n:]
	return b
}

func (m *message) byte() byte {
	if b := m.bytes(1); b != nil {
		return b[0]
	}
	return 0
}

func (m *message) int16() int16 {
	if b := m.bytes(2); b != nil {
		return int16(binary.BigEndian.Uint16(b))
	}
	return 0
}

func (m *message) int32() int32 {
	if b := m.bytes(4); b != nil {
		return int32(binary.BigEndian.Uint32(b))
	}
	return 0
}

// cstring takes bytes up to a NUL; they belong to the body.
func (m *message) cstring() []byte {
	i := bytes.IndexByte(m.body, 0)
	if i < 0 {
		m.fault("invalid string in message")
		return nil
	}
	b := m.body[:i:i]
	m.body = m.body[i+1:]
	return b
}

// end refuses bytes left over.
func (m *message) end() error {
	if m.err == nil && len(m.body) > 0 {
		m.fault("invalid message format")
	}
	if m.err != nil {
		return m.err
	}
	return nil
}
