package session

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/pgtest"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// followed are the parameters that the model test sets and looks at.
var followed = []string{"app.user", "app.tenant", "timezone", "search_path", "application_name", "transaction_read_only", "default_transaction_read_only"}

// TestSettingsAsPostgres runs random sequences of everything that sets and unsets parameters,
// and compares all values after each text with PostgreSQL's.
func TestSettingsAsPostgres(t *testing.T) {
	ctx := context.Background()
	dsn := pgtest.Start(t)
	db := openDB(t, nil)
	seed := seeds.First(t)
	r := rand.New(rand.NewPCG(seed, 0))
	for round := range 60 {
		pg, err := pgconn.Connect(ctx, dsn)
		if err != nil {
			t.Fatal(err)
		}
		c := newClient(t, db, SessionOptions{User: "postgres"})
		c.must("SET search_path = public")
		if _, err := pg.Exec(ctx, "SET search_path = public").ReadAll(); err != nil {
			t.Fatal(err)
		}
		var done []string
		for range 25 {
			text := randomSetting(r)
			if r.IntN(6) == 0 {
				text += "; " + randomSetting(r)
			}
			done = append(done, text)
			_, err := pg.Exec(ctx, text).ReadAll()
			if got, want := c.text(text), pgCode(err); got != want {
				t.Fatalf("round %d: %s\n got %q\nwant %q", round, strings.Join(done, "\n"), got, want)
			}
			if c.s.TxStatus() != TxStatus(pg.TxStatus()) {
				t.Fatalf("round %d: %s\n is %c, want %c", round, strings.Join(done, "\n"), c.s.TxStatus(), pg.TxStatus())
			}
			if c.s.TxStatus() == TxFailed {
				continue
			}
			for _, name := range followed {
				if strings.HasPrefix(name, "transaction") && c.s.TxStatus() == TxIdle {
					continue
				}
				show := fmt.Sprintf("SELECT coalesce(current_setting('%s', true), 'NULL')", name)
				want, err := pg.Exec(ctx, show).ReadAll()
				if err != nil {
					t.Fatal(err)
				}
				if got := c.query(show); got != "SELECT 1; "+string(want[0].Rows[0][0]) {
					t.Fatalf("round %d: %s\n%s is %s, want %s", round, strings.Join(done, "\n"), name, got, want[0].Rows[0][0])
				}
			}
		}
		pg.Close(ctx)
		c.s.Close()
	}
}

// randomSetting is a statement that may change a parameter.
func randomSetting(r *rand.Rand) string {
	pick := func(list ...string) string { return list[r.IntN(len(list))] }
	name := pick("app.user", "app.tenant", "timezone", "search_path", "application_name")
	value := map[string][]string{
		"timezone": {"UTC", "Asia/Tokyo", "Europe/Paris"}, "search_path": {"a", "b", "public"},
	}[name]
	if value == nil {
		value = []string{"x", "y", "z"}
	}
	v := pick(value...)
	switch r.IntN(18) {
	case 0, 1:
		return fmt.Sprintf("SET %s = '%s'", name, v)
	case 2, 3:
		return fmt.Sprintf("SET LOCAL %s = '%s'", name, v)
	case 4:
		return "RESET " + name
	case 5:
		return fmt.Sprintf("SET %s %s TO DEFAULT", pick("LOCAL", "SESSION"), name)
	case 6:
		return fmt.Sprintf("SELECT set_config('%s', '%s', %v)", name, v, r.IntN(2) == 0)
	case 7:
		return fmt.Sprintf("SELECT set_config('%s', '%s', false), 1/(length(current_setting('timezone')) * 0)", name, v)
	case 8, 9:
		return "BEGIN"
	case 10:
		return "COMMIT"
	case 11:
		return "ROLLBACK"
	case 12, 13:
		return "SAVEPOINT " + pick("a", "b")
	case 14:
		return "ROLLBACK TO " + pick("a", "b")
	case 15:
		return "RELEASE " + pick("a", "b")
	case 16:
		return pick("SET TRANSACTION READ ONLY", "SET default_transaction_read_only = on", "SET default_transaction_read_only = off", "SET LOCAL default_transaction_read_only = on")
	}
	return pick("RESET ALL", "DISCARD ALL", "SELECT 1/0")
}

// text is a simple query of any number of statements: "" or the code of its error.
func (c *client) text(text string) (code string) {
	ctx := context.Background()
	end := func(err error) string {
		if err != nil {
			c.s.Fail()
		}
		if ended := c.s.EndPipeline(ctx, err == nil); err == nil {
			err = ended
		}
		if err != nil {
			return sqlerr.CodeOf(err).String()
		}
		return ""
	}
	list, err := c.s.Split(ctx, text)
	if err != nil {
		return end(err)
	}
	for _, p := range list {
		if len(list) > 1 {
			c.s.BeginPipeline()
		}
		st, err := c.s.PrepareParsed(ctx, p, nil)
		if err != nil {
			return end(err)
		}
		po, err := c.s.Bind(ctx, "", st, nil)
		if err != nil {
			return end(err)
		}
		rows := &Rows{s: c.s, p: po, ctx: ctx}
		rows.fetch()
		for rows.Next() {
		}
		if err := rows.Close(); err != nil {
			return end(err)
		}
	}
	return end(nil)
}

func pgCode(err error) string {
	var e *pgconn.PgError
	if errors.As(err, &e) {
		return e.Code
	}
	if err != nil {
		return err.Error()
	}
	return ""
}
