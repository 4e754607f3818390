package wire

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// Rule says how clients that it is for prove who they are. It is a line of a file of
// pg_hba.conf's form:
//
//	# TYPE    DATABASE  USER        ADDRESS        METHOD
//	local     all       all                        trust
//	hostssl   all       +staff      10.0.0.0/8     scram-sha-256
//	host      all       all         all            reject
type Rule struct {
	Type      string   // local, host, hostssl or hostnossl
	Databases []string // names; all, sameuser
	Users     []string // names; all; +name is a member of the role
	Network   netip.Prefix
	Anywhere  bool // any address
	Method    string
}

// Methods by which a client proves who it is.
const (
	methodTrust  = "trust"
	methodReject = "reject"
	methodSCRAM  = "scram-sha-256"
	methodCert   = "cert"
)

// ParseRules reads the text of a file of rules. What is not supported is an error with its line.
func ParseRules(text string) ([]Rule, error) {
	var rules []Rule
	for n, line := range strings.Split(text, "\n") {
		fields, err := ruleFields(line)
		if err == nil && len(fields) == 0 {
			continue
		}
		var r Rule
		if err == nil {
			r, err = parseRule(fields)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
		rules = append(rules, r)
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("there are no rules in it: nobody could connect")
	}
	return rules, nil
}

// ruleFields cuts a line at its spaces, outside of double quotes, up to a #. A quoted name
// keeps a quote before it, by which it is no key word.
func ruleFields(line string) ([]string, error) {
	var fields []string
	var b strings.Builder
	in, quoted := false, false
	for _, r := range line {
		switch {
		case r == '"':
			if in = !in; in {
				b.WriteRune('"')
			}
			quoted = true
		case in:
			b.WriteRune(r)
		case r == '#':
			goto end
		case r == ' ' || r == '\t' || r == '\r':
			if b.Len() > 0 || quoted {
				fields = append(fields, b.String())
				b.Reset()
				quoted = false
			}
		default:
			b.WriteRune(r)
		}
	}
end:
	if in {
		return nil, fmt.Errorf("a double quote is not closed")
	}
	if b.Len() > 0 {
		fields = append(fields, b.String())
	}
	return fields, nil
}

func parseRule(f []string) (r Rule, err error) {
	r.Type = f[0]
	rest := 3
	switch r.Type {
	case "local":
	case "host", "hostssl", "hostnossl":
		rest = 4
	default:
		return r, fmt.Errorf("type %q is not one of local, host, hostssl, hostnossl", r.Type)
	}
	if len(f) <= rest {
		return r, fmt.Errorf("a rule is TYPE DATABASE USER [ADDRESS] METHOD")
	}
	r.Databases, r.Users = strings.Split(f[1], ","), strings.Split(f[2], ",")
	for _, d := range r.Databases {
		if d == "samerole" || d == "samegroup" || d == "replication" || strings.HasPrefix(d, "@") || strings.HasPrefix(d, "/") {
			return r, fmt.Errorf("database %q is not supported: name databases, or write all or sameuser", d)
		}
	}
	for _, u := range r.Users {
		if strings.HasPrefix(u, "@") || strings.HasPrefix(u, "/") {
			return r, fmt.Errorf("user %q is not supported: name users, or write all or +role", u)
		}
	}
	if r.Type != "local" {
		if f[3] == "all" {
			r.Anywhere = true
		} else if r.Network, err = parseNetwork(f[3], f[4:]); err != nil {
			return r, err
		} else if !strings.Contains(f[3], "/") {
			rest++ // the mask
		}
	}
	if len(f) <= rest {
		return r, fmt.Errorf("a rule ends with its method")
	}
	switch r.Method = f[rest]; r.Method {
	case methodTrust, methodReject, methodSCRAM, methodCert:
	case "md5", "password", "peer", "ident", "gss", "sspi", "ldap", "radius", "pam", "bsd":
		return r, fmt.Errorf("method %q is not supported: write trust, reject, scram-sha-256 or cert", r.Method)
	default:
		return r, fmt.Errorf("method %q is unknown: write trust, reject, scram-sha-256 or cert", r.Method)
	}
	if r.Method == methodCert && r.Type != "hostssl" {
		return r, fmt.Errorf("method cert is for hostssl rules")
	}
	if len(f) > rest+1 {
		return r, fmt.Errorf("option %q is not supported: leave it out", f[rest+1])
	}
	return r, nil
}

// parseNetwork reads 10.0.0.0/8, or 10.0.0.0 with the mask 255.0.0.0 in the next field.
func parseNetwork(text string, next []string) (netip.Prefix, error) {
	if strings.Contains(text, "/") {
		p, err := netip.ParsePrefix(text)
		if err != nil {
			return p, fmt.Errorf("address %q is not a network", text)
		}
		return p.Masked(), nil
	}
	a, err := netip.ParseAddr(text)
	if err != nil {
		return netip.Prefix{}, fmt.Errorf("address %q is not supported: write all, or a network as 10.0.0.0/8", text)
	}
	if len(next) == 0 {
		return netip.Prefix{}, fmt.Errorf("address %q has no mask: write %s/%d", text, text, a.BitLen())
	}
	mask, err := netip.ParseAddr(next[0])
	if err != nil || mask.BitLen() != a.BitLen() {
		return netip.Prefix{}, fmt.Errorf("address %q has no mask: write %s/%d", text, text, a.BitLen())
	}
	ones, ended := 0, false
	for _, b := range mask.AsSlice() {
		for bit := 7; bit >= 0; bit-- {
			set := b>>bit&1 == 1
			if set && ended {
				return netip.Prefix{}, fmt.Errorf("mask %q has holes", next[0])
			}
			if ended = !set; set {
				ones++
			}
		}
	}
	return netip.PrefixFrom(a, ones).Masked(), nil
}

// stranger is what rules ask of a connection.
type stranger struct {
	user, database string
	addr           netip.Addr // not valid on a Unix socket
	tls            bool
}

// matches says whether the rule is for a client; member tells who is in which role.
func (r *Rule) matches(c stranger, member func(user, role string) bool) bool {
	switch {
	case r.Type == "local" != !c.addr.IsValid():
		return false
	case r.Type == "hostssl" && !c.tls, r.Type == "hostnossl" && c.tls:
		return false
	case r.Type != "local" && !r.Anywhere && !r.Network.Contains(c.addr):
		return false
	}
	database := slices.ContainsFunc(r.Databases, func(d string) bool {
		return d == "all" || d == "sameuser" && c.user == c.database || strings.TrimPrefix(d, `"`) == c.database
	})
	user := slices.ContainsFunc(r.Users, func(u string) bool {
		if role, ok := strings.CutPrefix(u, "+"); ok {
			return member(c.user, strings.TrimPrefix(role, `"`))
		}
		return u == "all" || strings.TrimPrefix(u, `"`) == c.user
	})
	return database && user
}
