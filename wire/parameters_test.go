package wire

import (
	"context"
	"net"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/settings"
)

// TestServerParameters holds that the parameters that a server is told are those of PostgreSQL, by
// type, unit, who may see them and how SET, RESET and ALTER ROLE refuse them, and that they tell the
// server's values as they are now.
func TestServerParameters(t *testing.T) {
	ctx := testContext(t)
	srv, addr, _ := tcpServer(t, Config{MaxConnections: 17, AuthTimeout: 90 * time.Second, Parameters: map[string]string{"data_directory": "/d"}})
	ln, err := net.Listen("unix", filepath.Join(t.TempDir(), ".s.PGSQL.77"))
	if err != nil {
		t.Fatal(err)
	}
	go srv.Serve(ln)
	open := func(dsn, user string) *pgx.Conn {
		t.Helper()
		cfg, err := pgx.ParseConfig(dsn)
		if err != nil {
			t.Fatal(err)
		}
		cfg.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
		if user != "" {
			cfg.User = user
		}
		c, err := pgx.ConnectConfig(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { c.Close(context.Background()) })
		return c
	}
	_, port, _ := net.SplitHostPort(addr)
	ours, theirs := open("postgres://saltsql@"+addr+"/saltsql?sslmode=disable", ""), open(pgtest.Start(t), "")
	for _, c := range []*pgx.Conn{ours, theirs} {
		for _, sql := range []string{"CREATE ROLE outsider LOGIN", "CREATE ROLE reader LOGIN", "GRANT pg_read_all_settings TO reader"} {
			if _, err := c.Exec(ctx, sql); err != nil {
				t.Fatal(err)
			}
		}
	}
	t.Cleanup(func() { theirs.Exec(context.Background(), "RESET ROLE; DROP ROLE outsider, reader") })
	answer := func(c *pgx.Conn, sql string) string {
		t.Helper()
		rows, err := c.Query(ctx, sql)
		if err == nil {
			var all []string
			all, err = pgx.CollectRows(rows, pgx.RowTo[string])
			if err == nil && len(all) == 1 {
				return all[0]
			}
			if err == nil {
				return strconv.Itoa(len(all)) + " rows"
			}
		}
		if e, ok := err.(*pgconn.PgError); ok {
			return e.Code + " " + e.Message
		}
		return err.Error()
	}
	for _, p := range settings.All() {
		if p.Context == "" || strings.Contains(p.Name, ".") { // of an extension
			continue
		}
		facts := "SELECT concat_ws(',', name, unit, vartype) FROM pg_settings WHERE name = '" + p.Name + "'"
		asks := []string{facts, "SET " + p.Name + " = '5'", "RESET " + p.Name, "ALTER ROLE outsider SET " + p.Name + " = '5'", "SELECT set_config('" + p.Name + "', '5', true)"}
		if theirContext := answer(theirs, "SELECT context FROM pg_settings WHERE name = '"+p.Name+"'"); theirContext != p.Context {
			asks = asks[:1] // ssl takes a restart here, hba_file none
		}
		for _, ask := range asks {
			if got, want := answer(ours, ask), answer(theirs, ask); got != want {
				t.Errorf("%s: %s, PostgreSQL says %s", ask, got, want)
			}
		}
		for _, role := range []string{"outsider", "reader"} {
			for _, c := range []*pgx.Conn{ours, theirs} {
				if _, err := c.Exec(ctx, "SET ROLE "+role); err != nil {
					t.Fatal(err)
				}
			}
			for _, ask := range []string{"SHOW " + p.Name, "SELECT current_setting('" + p.Name + "')", facts} {
				got, want := answer(ours, ask), answer(theirs, ask)
				refused := func(s string) bool { return strings.HasPrefix(s, "42501 ") }
				if refused(got) != refused(want) || (refused(want) || ask == facts) && got != want {
					t.Errorf("%s: %s as %s, PostgreSQL says %s", ask, got, role, want)
				}
			}
			for _, c := range []*pgx.Conn{ours, theirs} {
				if _, err := c.Exec(ctx, "RESET ROLE"); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	is := func(want map[string]string) {
		t.Helper()
		for name, value := range want {
			if got := answer(ours, "SHOW "+name); got != value {
				t.Errorf("%s is %q, want %q", name, got, value)
			}
		}
	}
	is(map[string]string{
		"authentication_timeout": "90s", "max_connections": "17", "ssl": "off", "port": port, "listen_addresses": "127.0.0.1",
		"unix_socket_directories": filepath.Dir(ln.Addr().String()), "data_directory": "/d", "config_file": "", "pg_stat_statements.max": "0",
		"password_encryption": "scram-sha-256",
	})
	if got := answer(ours, "SELECT concat_ws(' ', setting, unit, context, source) FROM pg_settings WHERE name = 'authentication_timeout'"); got != "90 s sighup configuration file" {
		t.Error(got)
	}
	srv.ReloadParameters(500*time.Millisecond, map[string]string{"config_file": "/c"})
	is(map[string]string{"authentication_timeout": "500ms", "data_directory": "", "config_file": "/c"})
	if got := answer(ours, "SELECT setting FROM pg_settings WHERE name = 'authentication_timeout'"); got != "1" {
		t.Error(got)
	}
}

// TestAddressParameters: what a server listens on, as PostgreSQL's parameters tell it.
func TestAddressParameters(t *testing.T) {
	unix := func(name string) net.Addr { return &net.UnixAddr{Name: name, Net: "unix"} }
	tcp := func(host string, port int) net.Addr { return &net.TCPAddr{IP: net.ParseIP(host), Port: port} }
	for _, c := range []struct {
		addrs          []net.Addr
		port           string
		hosts, folders []string
	}{
		{nil, "0", nil, nil},
		{[]net.Addr{unix("/run/s/.s.PGSQL.6")}, "6", nil, []string{"/run/s"}},
		{[]net.Addr{unix("/run/s/.s.PGSQL.6"), tcp("::", 5), unix("/run/odd")}, "5", []string{"*"}, []string{"/run/s", "/run"}},
		{[]net.Addr{tcp("10.0.0.1", 5), tcp("::1", 6), tcp("::1", 7)}, "5", []string{"10.0.0.1", "::1"}, nil},
	} {
		port, hosts, folders := addressesOf(c.addrs)
		if port != c.port || !slices.Equal(hosts, c.hosts) || !slices.Equal(folders, c.folders) {
			t.Errorf("%v: %s %q %q", c.addrs, port, hosts, folders)
		}
	}
}
