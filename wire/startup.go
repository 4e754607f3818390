package wire

import (
	"encoding/binary"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Request codes that stand where a start-up packet has its protocol version.
const (
	codeCancel = 80877102
	codeSSL    = 80877103
	codeGSS    = 80877104
)

// The protocol versions spoken: major 3, minor 0 up to latestMinor.
const (
	protocolMajor = 3
	latestMinor   = 2
)

// startup takes the connection from its first byte to ReadyForQuery.
func (c *conn) startup() error {
	packet, err := c.firstPacket()
	if err != nil {
		return err
	}
	req, err := parseStartup(packet)
	if err != nil {
		return err
	}
	if req.newer || len(req.unknown) > 0 {
		c.out.send(&pgproto3.NegotiateProtocolVersion{
			// The whole version to go on with, as Postgres sends and libpq reads it.
			NewestMinorProtocol: uint32(protocolMajor<<16 | req.minor), UnrecognizedOptions: req.unknown,
		})
	}
	if c.srv.cfg.RequireTLS && c.tls == nil {
		return sqlerr.New(sqlerr.InvalidAuthorizationSpec, "this server takes encrypted connections only").
			WithHint("Connect with sslmode=require.")
	}
	if err := c.authenticate(req.user); err != nil {
		return err
	}
	if err := c.srv.admit(c); err != nil {
		return err
	}
	return c.openSession(req)
}

// firstPacket answers requests for encryption and cancelling, and gives the start-up
// packet. errTerminate where there is none to come.
func (c *conn) firstPacket() ([]byte, error) {
	askedTLS, askedGSS := false, false
	for {
		packet, err := c.in.startup()
		if err != nil {
			return nil, err
		}
		switch binary.BigEndian.Uint32(packet) {
		case codeCancel:
			c.srv.cancels.request(packet[4:])
			return nil, errTerminate
		case codeSSL:
			if askedTLS || c.tls != nil {
				return nil, sqlerr.New(sqlerr.ProtocolViolation, "unexpected SSL request")
			}
			askedTLS = true
			if err := c.answerTLS(); err != nil {
				return nil, err
			}
		case codeGSS:
			if askedGSS {
				return nil, sqlerr.New(sqlerr.ProtocolViolation, "unexpected GSSAPI encryption request")
			}
			askedGSS = true
			if _, err := c.nc.Write([]byte{'N'}); err != nil {
				return nil, err
			}
		default:
			return packet, nil
		}
	}
}

// startRequest is what a start-up packet says.
type startRequest struct {
	minor    int
	newer    bool // asks for a minor version we do not speak
	user     string
	database string
	settings map[string]string
	unknown  []string // _pq_. options
}

func parseStartup(packet []byte) (*startRequest, error) {
	version := binary.BigEndian.Uint32(packet)
	if major := version >> 16; major != protocolMajor {
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, "unsupported frontend protocol %d.%d: server supports %d.0 to %d.%d",
			major, version&0xffff, protocolMajor, protocolMajor, latestMinor)
	}
	req := &startRequest{minor: int(version & 0xffff), settings: map[string]string{}}
	if req.minor > latestMinor {
		req.minor, req.newer = latestMinor, true
	}
	m := message{body: packet[4:]}
	for {
		name := string(m.cstring())
		if name == "" {
			break
		}
		if err := req.set(name, string(m.cstring())); err != nil {
			return nil, err
		}
	}
	if m.err != nil || len(m.body) > 0 {
		return nil, sqlerr.New(sqlerr.ProtocolViolation, "invalid startup packet layout: expected terminator as last byte")
	}
	if req.user == "" {
		return nil, sqlerr.New(sqlerr.InvalidAuthorizationSpec, "no PostgreSQL user name specified in startup packet")
	}
	if req.database == "" {
		req.database = req.user
	}
	return req, nil
}

func (req *startRequest) set(name, value string) error {
	switch {
	case strings.HasPrefix(name, "_pq_."):
		req.unknown = append(req.unknown, name)
	case name == "user":
		req.user = value
	case name == "database":
		req.database = value
	case name == "options":
		return req.setOptions(value)
	case name == "replication":
		switch strings.ToLower(value) {
		case "false", "off", "no", "0":
			return nil
		}
		return sqlerr.Unsupported("replication connections are not supported", "Read the tables with COPY … TO STDOUT.")
	default:
		req.settings[name] = value
	}
	return nil
}

// setOptions reads the options parameter: -c name=value and --name=value, with
// a backslash before a space that belongs to a value.
func (req *startRequest) setOptions(text string) error {
	words := splitOptions(text)
	for i := 0; i < len(words); i++ {
		w := words[i]
		switch {
		case w == "-c" && i+1 < len(words):
			i++
			w = words[i]
		case strings.HasPrefix(w, "-c"):
			w = w[2:]
		case strings.HasPrefix(w, "--"):
			w = w[2:]
		default:
			return sqlerr.New(sqlerr.SyntaxError, "invalid command-line argument for server process: %s", w)
		}
		name, value, ok := strings.Cut(w, "=")
		if !ok {
			return sqlerr.New(sqlerr.SyntaxError, "-c %s requires a value", w)
		}
		req.settings[strings.ReplaceAll(name, "-", "_")] = value
	}
	return nil
}

func splitOptions(text string) []string {
	var words []string
	var w []byte
	in := false
	for i := 0; i < len(text); i++ {
		switch ch := text[i]; {
		case ch == '\\' && i+1 < len(text):
			i++
			w, in = append(w, text[i]), true
		case ch == ' ' || ch == '\t' || ch == '\n' || ch == '\r':
			if in {
				words = append(words, string(w))
			}
			w, in = w[:0], false
		default:
			w, in = append(w, ch), true
		}
	}
	if in {
		words = append(words, string(w))
	}
	return words
}

// openSession makes the session and tells the client what it needs to know.
func (c *conn) openSession(req *startRequest) error {
	keyBytes := keyBytes30
	if req.minor >= 2 {
		keyBytes = keyBytes32
	}
	c.srv.cancels.add(c, keyBytes)
	c.user = req.user
	c.log = c.log.With("pid", c.pid, "user", req.user, "database", req.database)
	sess, err := c.srv.eng.newSession(saltsql.SessionOptions{
		User: req.user, Database: req.database,
		ApplicationName: req.settings["application_name"], Settings: req.settings,
		Notice:          c.notices.add,
		ParameterStatus: c.report.note,
		BackendPID:      c.pid,
	})
	if err != nil {
		return err
	}
	c.sess = sess
	c.state.attach(sess)
	c.sendReported()
	c.out.send(&pgproto3.BackendKeyData{ProcessID: uint32(c.pid), SecretKey: c.key})
	c.log.Debug("connection opened", "remote", c.raw.RemoteAddr().String(), "tls", c.tls != nil)
	return c.ready()
}
