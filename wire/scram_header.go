package wire

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// checkSCRAMHeader refuses, as PostgreSQL does, the start of a client's first message
// that does not fit the mechanism it chose. offered says that the server has offered to
// bind the exchange to the TLS channel.
//
//	n,,…  y,,…  p=tls-server-end-point,,…
func checkSCRAMHeader(first, mechanism string, offered bool) error {
	malformed := func(format string, args ...any) error {
		return sqlerr.New(sqlerr.ProtocolViolation, "malformed SCRAM message").WithDetail(format, args...)
	}
	flag, rest, ok := strings.Cut(first, ",")
	if !ok {
		return malformed("The message ends early.")
	}
	switch {
	case (flag == "n" || flag == "y") && mechanism == scramPlus:
		return malformed("The client selected SCRAM-SHA-256-PLUS, but the SCRAM message does not include channel binding data.")
	case flag == "y" && offered:
		return sqlerr.New(sqlerr.InvalidAuthorizationSpec, "SCRAM channel binding negotiation error").
			WithDetail("The client supports SCRAM channel binding but thinks the server does not.  However, this server does support channel binding.")
	case flag == "n" || flag == "y":
	case strings.HasPrefix(flag, "p=") && mechanism != scramPlus:
		return malformed("The client selected SCRAM-SHA-256 without channel binding, but the SCRAM message includes channel binding data.")
	case strings.HasPrefix(flag, "p="):
		if kind := flag[len("p="):]; kind != "tls-server-end-point" {
			return sqlerr.New(sqlerr.ProtocolViolation, "unsupported SCRAM channel-binding type \"%.30s\"", kind)
		}
	default:
		return malformed("Unexpected channel-binding flag \"%.30s\".", flag)
	}
	switch {
	case strings.HasPrefix(rest, "a"):
		return sqlerr.New(sqlerr.FeatureNotSupported, "client uses authorization identity, but it is not supported")
	case !strings.HasPrefix(rest, ","):
		return malformed("Unexpected attribute \"%.1s\" in client-first-message.", rest)
	case strings.HasPrefix(rest, ",m"):
		return sqlerr.New(sqlerr.FeatureNotSupported, "client requires an unsupported SCRAM extension")
	}
	return nil
}
