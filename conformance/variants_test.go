package conformance

import (
	"context"
	"flag"
	"fmt"
	"testing"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/seeds"
)

// variant is one way to run: the answers must not depend on it.
type variant struct {
	store    string
	salt     int
	rulesOff bool
}

func (v variant) String() string {
	rules := ""
	if v.rulesOff {
		rules = "/rules-off"
	}
	return fmt.Sprintf("%s/salt-%d%s", v.store, v.salt, rules)
}

// open makes a DB of the variant that lives as long as t.
func (v variant) open(t testing.TB) *saltsql.DB { return harness.Open(t, v.store) }

var allVariants = flag.Bool("variants.all", false, "run every file on every variant, not on a part of them by turns")

// sltVariants are what the i-th file runs on here: one of all, by turns, a third, or all of them.
// Bigtable without salt and with 16 buckets is TestSLTWhileTabletsMove's.
func sltVariants(i int) []variant {
	var vs []variant
	for n, salt := range harness.Salts {
		// By turns, so that every second one is not all of those that have rules off, or none.
		off := n%2 == 1
		vs = append(vs, variant{"pebble", salt, off}, variant{"pebble", salt, !off})
	}
	vs = append(vs, variant{"bigtable", 4, false}, variant{"bigtable", 256, false}, variant{"bigtable", 4, true}, variant{"mem", 16, false}, variant{harness.Transactional, 4, false}, variant{harness.Transactional, 0, true})
	if *allVariants || *rewrite {
		return vs
	}
	if !seeds.Full() {
		return vs[seeds.Turn(i, len(vs)):][:1]
	}
	var some []variant
	for n := i % 3; n < len(vs); n += 3 {
		some = append(some, vs[n])
	}
	return some
}

// engine is a variant as slt wants it.
type engine struct {
	variant
	db *saltsql.DB
}

func (e engine) Names() []string {
	names := []string{"saltsql", e.store, "unsalted"}
	if e.store == harness.Transactional {
		names = append(names, "bigtable") // DDL is as it is there
	}
	if e.salt > 0 {
		names[2] = "salted"
	}
	if e.rulesOff {
		names = append(names, "rules-off")
	}
	return names
}

func (e engine) Salt() string {
	if e.salt == 0 {
		return ""
	}
	return fmt.Sprintf("SALT_BUCKETS = %d", e.salt)
}

func (e engine) Buckets() int { return max(e.salt, 1) }

func (e engine) Desc() uint { return 0 }

func (e engine) RulesOff() bool { return e.rulesOff }

func (e engine) Open(context.Context) (slt.Conn, error) {
	rules := "on"
	if e.rulesOff {
		rules = "off"
	}
	s, err := e.db.NewSession(saltsql.SessionOptions{Settings: map[string]string{"saltsql.rules": rules}})
	if err != nil {
		return nil, err
	}
	return sessionConn{s}, nil
}

type sessionConn struct{ s *saltsql.Session }

func (c sessionConn) Close() { c.s.Close() }

func (c sessionConn) Exec(ctx context.Context, sql string) ([][]*string, string, error) {
	return harness.Run(ctx, c.s, sql)
}
