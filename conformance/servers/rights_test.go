package servers

import (
	"context"
	"fmt"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// TestRightsEverywhere: what GRANT, REVOKE, ALTER ROLE and DROP ROLE of one server say is in force
// on another one when they return: its next statement has the new right, and never the old one.
func TestRightsEverywhere(t *testing.T) {
	t.Parallel()
	ctx, addr := context.Background(), emulator.Start(t)
	a, b := openMember(t, addr, memberLease), openMember(t, addr, memberLease)
	ah, ap := harness.Serve(t, a.DB)
	bh, bp := harness.Serve(t, b.DB)
	admin := harness.Connect(t, ah, ap) // as nobody's role
	for _, sql := range []string{
		"CREATE TABLE t (k INT PRIMARY KEY)", "CREATE ROLE team", "CREATE ROLE r LOGIN", "GRANT SELECT ON t TO team",
	} {
		harness.MustExec(t, admin, sql)
	}
	as := func(role string) (*pgx.Conn, error) {
		c, err := pgx.Connect(ctx, dsn(bh, bp, role))
		if err == nil {
			t.Cleanup(func() { _ = c.Close(ctx) })
		}
		return c, err
	}
	reader, err := as("r")
	if err != nil {
		t.Fatal(err)
	}
	for i := range seeds.Amount(8, 200) {
		for _, x := range [][2]string{
			{"GRANT SELECT ON t TO r", "REVOKE SELECT ON t FROM r"},
			{"GRANT team TO r", "REVOKE team FROM r"},
			{"ALTER ROLE r SUPERUSER", "ALTER ROLE r NOSUPERUSER"},
			{"ALTER TABLE t OWNER TO r", "ALTER TABLE t OWNER TO saltsql"},
		}[i%4 : i%4+1] {
			harness.MustExec(t, admin, x[0])
			if _, err := reader.Exec(ctx, "SELECT * FROM t"); err != nil {
				t.Fatalf("round %d: after %s: %v", i, x[0], err)
			}
			harness.MustExec(t, admin, x[1])
			if _, err := reader.Exec(ctx, "SELECT * FROM t"); harness.SQLState(err) != "42501" {
				t.Fatalf("round %d: after %s: %v", i, x[1], err)
			}
		}
	}
	for i, x := range [][3]string{
		{"ALTER ROLE r NOLOGIN", "28000", "ALTER ROLE r LOGIN"},
		{"DROP ROLE r", "28000", "CREATE ROLE r LOGIN"},
	} {
		here, err := pgx.Connect(ctx, dsn(ah, ap, "r"))
		if err != nil {
			t.Fatal(err)
		}
		defer here.Close(ctx)
		harness.MustExec(t, admin, x[0])
		for of, c := range map[string]*pgx.Conn{"this server": here, "the other": reader} {
			if _, err := c.Exec(ctx, "SELECT 1"); harness.SQLState(err) != x[1] || !c.IsClosed() {
				t.Errorf("%s: a session of %s: %v", x[0], of, err)
			}
		}
		if _, err := as("r"); harness.SQLState(err) != x[1] {
			t.Errorf("%s: the other server lets the role in: %v", x[0], err)
		}
		harness.MustExec(t, admin, x[2])
		if reader, err = as("r"); err != nil {
			t.Errorf("%d: %s: %v", i, x[2], err)
		}
	}
	harness.MustExec(t, admin, "ALTER ROLE r CREATEROLE")
	if _, err := reader.Exec(ctx, "ALTER ROLE r NOLOGIN"); harness.SQLState(err) != "28000" || !reader.IsClosed() {
		t.Errorf("a role that bars itself: %v", err)
	}
}

// TestRightsWaitForTheDead: a server that has gone without a word keeps a REVOKE waiting until its
// lease is over. Its row is removed, so that the next one does not wait for it.
func TestRightsWaitForTheDead(t *testing.T) {
	t.Parallel()
	addr := emulator.Start(t)
	a, b := openMember(t, addr, memberLease), openMember(t, addr, memberLease)
	execAll(t, a.DB, "CREATE TABLE t (k INT PRIMARY KEY)", "CREATE ROLE r", "GRANT SELECT ON t TO r")
	b.store.Stop()
	defer b.store.Resume()
	execAll(t, a.DB, "REVOKE SELECT ON t FROM r")
	if others, err := session.Behind(a.DB).Catalog().Servers(context.Background()); err != nil || len(others) != 0 {
		t.Errorf("%d servers are left, %v", len(others), err)
	}
}

// dsn is how a client of a server in this process connects.
func dsn(host string, port int, user string) string {
	return fmt.Sprintf("host=%s port=%d user=%s dbname=saltsql sslmode=disable", host, port, user)
}
