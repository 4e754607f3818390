package wire

import (
	"net/netip"
	"strings"
	"testing"
)

// TestRules: the first rule that is for a client counts, by its type, database, user and
// address.
func TestRules(t *testing.T) {
	rules, err := ParseRules(`
# a comment
local   all             all                                     trust
hostssl all             +staff          10.0.0.0/8              cert   # staff
host    sales,"all"     alice,bob       192.168.1.0 255.255.255.0  scram-sha-256
host    sameuser        all             ::1/128                 trust
hostnossl all           "Odd Name"      all                     reject
`)
	if err != nil {
		t.Fatal(err)
	}
	member := func(user, role string) bool { return role == "staff" && strings.HasPrefix(user, "s_") }
	for _, c := range []struct {
		user, database, addr string
		tls                  bool
		want                 int // the rule, -1 for none
	}{
		{"x", "d", "", false, 0},
		{"s_1", "d", "10.1.2.3", true, 1},
		{"s_1", "d", "10.1.2.3", false, -1},
		{"x", "d", "10.1.2.3", true, -1},
		{"alice", "sales", "192.168.1.77", false, 2},
		{"alice", "all", "192.168.1.77", true, 2},
		{"alice", "other", "192.168.1.77", true, -1},
		{"alice", "sales", "192.168.2.77", true, -1},
		{"me", "me", "::1", false, 3},
		{"me", "you", "::1", false, -1},
		{"Odd Name", "you", "8.8.8.8", false, 4},
		{"Odd Name", "you", "8.8.8.8", true, -1},
	} {
		who := stranger{user: c.user, database: c.database, tls: c.tls}
		if c.addr != "" {
			who.addr = netip.MustParseAddr(c.addr)
		}
		got := -1
		for i := range rules {
			if rules[i].matches(who, member) {
				got = i
				break
			}
		}
		if got != c.want {
			t.Errorf("%+v: rule %d, want %d", c, got, c.want)
		}
	}
	for _, bad := range []string{"", "host all all", "hst all all all trust", "host all all all md5", "host all all all cert", "host all all localhost trust",
		"host all all 10.0.0.1 trust", "host all all 10.0.0.0 255.0.255.0 trust", `host "all all all trust`, "host replication all all trust",
		"host all @file all trust", "host all all all trust clientcert=verify-full", "local all all peer"} {
		if _, err := ParseRules(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}

// TestVerifierOfAnotherDoor: a door beside the listeners goes by the rules, and takes passwords only.
func TestVerifierOfAnotherDoor(t *testing.T) {
	rules, err := ParseRules("hostssl all ann 10.0.0.0/8 scram-sha-256\nhost all ann 127.0.0.1/32 trust\nhost all bob all reject\nhost saltsql eve all scram-sha-256")
	if err != nil {
		t.Fatal(err)
	}
	v, err := NewVerifier("secret", 1)
	if err != nil {
		t.Fatal(err)
	}
	srv, _, _ := tcpServer(t, Config{Auth: Users{"ann": v, "bob": v, "eve": v}, Rules: rules})
	for _, x := range []struct {
		user, from string
		encrypted  bool
		want       bool
	}{
		{"ann", "10.1.2.3", true, true}, {"ann", "10.1.2.3", false, false}, {"ann", "127.0.0.1", true, false}, {"ann", "192.0.2.1", true, false},
		{"bob", "10.1.2.3", true, false}, {"eve", "192.0.2.1", false, true}, {"nobody", "10.1.2.3", true, false},
	} {
		if _, ok := srv.Verifier(x.user, "saltsql", netip.MustParseAddr(x.from), x.encrypted); ok != x.want {
			t.Errorf("%+v: %t", x, ok)
		}
	}
	if _, ok := srv.Verifier("eve", "other", netip.MustParseAddr("192.0.2.1"), false); ok {
		t.Error("a rule of another database is taken")
	}
}
