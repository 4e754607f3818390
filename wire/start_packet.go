package wire

import (
	"encoding/binary"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

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
