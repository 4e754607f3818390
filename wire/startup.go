package wire

import (
	"encoding/binary"
	"net"
	"net/netip"

	"github.com/jackc/pgx/v5/pgproto3"

	"github.com/saltsql/saltsql/internal/session"
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
	if _, local := c.raw.RemoteAddr().(*net.UnixAddr); c.srv.cfg.RequireTLS && c.tls == nil && !local {
		return sqlerr.New(sqlerr.InvalidAuthorizationSpec, "this server takes encrypted connections only").
			WithHint("Connect with sslmode=require.")
	}
	if err := c.authenticate(req); err != nil {
		return err
	}
	if err := c.srv.admit(c, req.user); err != nil {
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
			c.cancelOther(packet[4:])
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

// openSession makes the session and tells the client what it needs to know.
func (c *conn) openSession(req *startRequest) error {
	keyBytes := keyBytes30
	if req.minor >= 2 {
		keyBytes = keyBytes32
	}
	first, n := c.srv.db.FirstPID()
	c.srv.cancels.add(c, keyBytes, first, n)
	c.user = req.user
	c.log = c.log.With("pid", c.pid, "user", req.user, "database", req.database)
	sess, err := c.srv.db.NewSession(session.SessionOptions{
		User: req.user, Database: req.database,
		ApplicationName: req.settings["application_name"], Settings: req.settings,
		Notice:          c.notices.add,
		Waiting:         c.tellNow,
		ParameterStatus: c.report.note,
		BackendPID:      c.pid,
		End:             c.state.doom,
		Notified:        c.state.notify,
		Client:          addressOf(c.raw.RemoteAddr()),
		Server:          addressOf(c.raw.LocalAddr()),
		Parameter:       c.srv.parameter,
	})
	if err != nil {
		return err
	}
	c.sess = sess
	c.in.reserve = sess.Reserve
	c.state.attach(sess)
	c.sendReported()
	c.out.send(&pgproto3.BackendKeyData{ProcessID: uint32(c.pid), SecretKey: c.key})
	c.log.Debug("connection opened", "remote", c.raw.RemoteAddr().String(), "tls", c.tls != nil)
	return c.ready()
}

// addressOf gives an end of a connection that is over a network.
func addressOf(a net.Addr) netip.AddrPort {
	if tcp, ok := a.(*net.TCPAddr); ok {
		p := tcp.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	return netip.AddrPort{}
}
