package wire

import (
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// told is what ReloadParameters replaces.
type told struct {
	authTimeout time.Duration
	parameters  map[string]string
}

// ReloadParameters replaces Config.AuthTimeout and Config.Parameters, for the connections to come and
// for what all sessions are shown.
func (s *Server) ReloadParameters(authTimeout time.Duration, parameters map[string]string) {
	if authTimeout <= 0 {
		authTimeout = defaultAuthTimeout
	}
	s.told.Store(&told{authTimeout, parameters})
}

// parameter gives a run-time parameter whose meaning the server knows, as it is now; the others
// that servers are told are empty, which is none.
func (s *Server) parameter(name string) (value string, ok bool) {
	now := s.told.Load()
	switch name {
	case "authentication_timeout":
		return strconv.FormatInt(now.authTimeout.Milliseconds(), 10) + "ms", true
	case "max_connections":
		return strconv.Itoa(s.cfg.MaxConnections), true
	case "ssl":
		if s.creds.Load().tls == nil {
			return "off", true
		}
		return "on", true
	case "port", "listen_addresses", "unix_socket_directories":
		port, hosts, folders := addressesOf(s.addresses())
		switch name {
		case "port":
			return port, true
		case "listen_addresses":
			return strings.Join(hosts, ", "), true
		}
		return strings.Join(folders, ", "), true
	case "saltsql.heat_memory":
		return strconv.FormatInt(s.db.HeatMemory(), 10) + "B", true
	case "pg_stat_statements.max":
		return strconv.Itoa(s.db.TracksStatements()), true
	}
	return now.parameters[name], true
}

// addresses lists what the server listens on, in an order that does not change.
func (s *Server) addresses() []net.Addr {
	s.mu.Lock()
	defer s.mu.Unlock()
	var all []net.Addr
	for ln := range s.listeners {
		all = append(all, ln.Addr())
	}
	slices.SortFunc(all, func(a, b net.Addr) int { return strings.Compare(a.String(), b.String()) })
	return all
}

// addressesOf tells addresses as PostgreSQL's parameters do: one port, that of the first on a
// network or else of the first socket's name, 0 where there is none; the hosts on a network, * where
// it is every one of the machine; the folders of sockets.
func addressesOf(all []net.Addr) (port string, hosts, folders []string) {
	port = "0"
	for _, a := range all {
		switch a := a.(type) {
		case *net.TCPAddr:
			if len(hosts) == 0 {
				port = strconv.Itoa(a.Port)
			}
			host := a.IP.String()
			if a.IP == nil || a.IP.Equal(net.IPv6unspecified) {
				host = "*"
			}
			if !slices.Contains(hosts, host) {
				hosts = append(hosts, host)
			}
		case *net.UnixAddr:
			folder, name := filepath.Split(a.Name)
			folder = filepath.Clean(folder)
			if n, ok := strings.CutPrefix(name, ".s.PGSQL."); ok && port == "0" {
				port = n
			}
			if !slices.Contains(folders, folder) {
				folders = append(folders, folder)
			}
		}
	}
	return port, hosts, folders
}
