package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/seeds"
)

// TestRightsAsPostgres runs testdata/rights, a list of roles and what they do, on PostgreSQL and
// on saltsql: each answer (rows, command tag, SQLSTATE, message, detail, hint, notices) must be the
// same. A line is ROLE| STATEMENT; "-" is the superuser. The statements of a role that end in a
// star are run as prepared statements, by the extended protocol.
func TestRightsAsPostgres(t *testing.T) {
	seeds.Sometimes(t)
	salts := []int{0, 4}
	for i := range seeds.Part(t, len(salts), seeds.Whole) {
		salt := salts[i]
		t.Run(fmt.Sprint("salt=", salt), func(t *testing.T) {
			pg, ours := rightsServers(t, salt)
			runRights(t, pg, ours, salt)
		})
	}
}

// TestFirstRole: who makes the first role without being one is told that it locks him out, and
// so is who it has locked out; the bootstrap superuser is not.
func TestFirstRole(t *testing.T) {
	ctx := context.Background()
	host, port := harness.Serve(t, variant{store: "mem"}.open(t))
	var notices []string
	connect := func(user string) (*pgconn.PgConn, error) {
		c, err := pgconn.ParseConfig(fmt.Sprintf("host=%s port=%d user=%s dbname=postgres sslmode=disable", host, port, user))
		if err != nil {
			t.Fatal(err)
		}
		c.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { notices = append(notices, n.Message+" "+n.Hint) }
		return pgconn.ConnectConfig(ctx, c)
	}
	made := func(user, role string) []string {
		c, err := connect(user)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(ctx)
		notices = nil
		if _, err := c.Exec(ctx, "CREATE ROLE "+role).ReadAll(); err != nil {
			t.Fatal(err)
		}
		return notices
	}
	if n := made("somebody", "reader"); len(n) != 1 || !strings.Contains(n[0], "only roles") || !strings.Contains(n[0], "saltsql") {
		t.Errorf("told %q", n)
	}
	_, err := connect("somebody")
	var e *pgconn.PgError
	if !errors.As(err, &e) || e.Code != "28000" || !strings.Contains(e.Hint, "saltsql") {
		t.Errorf("is let in, or refused without a hint: %v", err)
	}
	if n := made("saltsql", "other"); len(n) != 0 {
		t.Errorf("told %q", n)
	}
}

func runRights(t *testing.T, pg, ours *rightsClient, salt int) {
	text, err := os.ReadFile("testdata/rights")
	if err != nil {
		t.Fatal(err)
	}
	cases := 0
	for n, line := range strings.Split(string(text), "\n") {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		role, stmt, ok := strings.Cut(line, "|")
		if !ok {
			t.Fatalf("line %d is not ROLE| STATEMENT", n+1)
		}
		stmt = strings.TrimSpace(stmt)
		salted := stmt
		if salt > 0 && strings.HasPrefix(stmt, "CREATE TABLE") {
			salted += fmt.Sprintf(" WITH (salt_buckets = %d)", salt)
		}
		want, got := pg.answer(role, stmt), ours.answer(role, salted)
		cases++
		if want != got {
			t.Errorf("line %d: %s\nPostgreSQL: %s\nsaltsql:    %s", n+1, line, want, got)
		}
	}
	if cases < 300 {
		t.Errorf("only %d cases", cases)
	}
}

// rightsClient is a superuser's connection that acts as other roles.
type rightsClient struct {
	conn    *pgconn.PgConn
	notices []string
	as      string
}

func newRightsClient(t *testing.T, dsn string) *rightsClient {
	c := &rightsClient{as: "-"}
	config, err := pgx.ParseConfig(dsn)
	if err != nil {
		t.Fatal(err)
	}
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) {
		notice := n.Severity + " " + n.Code + " " + n.Message
		if n.Detail != "" {
			notice += " DETAIL " + sortedLines(n.Detail)
		}
		c.notices = append(c.notices, notice)
	}
	if c.conn, err = pgconn.ConnectConfig(context.Background(), &config.Config); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.conn.Close(context.Background()) })
	return c
}

func (c *rightsClient) answer(role, stmt string) string {
	ctx := context.Background()
	if role != c.as {
		change := "RESET SESSION AUTHORIZATION"
		if role != "-" {
			change = "SET SESSION AUTHORIZATION " + role
		}
		if _, err := c.conn.Exec(ctx, change).ReadAll(); err != nil {
			return change + ": " + rightsError(err)
		}
		c.as = role
	}
	c.notices = nil
	var out strings.Builder
	var err error
	if text, ok := strings.CutSuffix(stmt, "*"); ok {
		r := c.conn.ExecParams(ctx, text, nil, nil, nil, nil).Read()
		writeRights(&out, r)
		err = r.Err
	} else {
		var list []*pgconn.Result
		list, err = c.conn.Exec(ctx, stmt).ReadAll()
		for _, r := range list {
			writeRights(&out, r)
		}
	}
	if err != nil {
		out.WriteString(rightsError(err))
	}
	for _, n := range c.notices {
		if !strings.HasPrefix(n, "NOTICE 01000") { // advice on the key
			out.WriteString("\n  " + n)
		}
	}
	return strings.TrimSpace(out.String())
}

func writeRights(out *strings.Builder, r *pgconn.Result) {
	for _, row := range r.Rows {
		for i, v := range row {
			if i > 0 {
				out.WriteByte('|')
			}
			if v == nil {
				out.WriteString("NULL")
			}
			out.Write(v)
		}
		out.WriteString("; ")
	}
	out.WriteString(r.CommandTag.String() + " ")
}

func rightsError(err error) string {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return err.Error()
	}
	return fmt.Sprintf("%s %s DETAIL %s HINT %s", e.Code, e.Message, sortedLines(e.Detail), e.Hint)
}

// sortedLines gives the lines of a detail, which lists objects in the order of their OIDs: these
// differ.
func sortedLines(detail string) string {
	lines := strings.Split(detail, "\n")
	slices.Sort(lines)
	return fmt.Sprint(lines)
}
