package session

import (
	"context"
	"log/slog"
	"testing"

	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestBeginsWith holds that a client's settings win over its role's, and those over the server's, at
// the start and after RESET, and that pg_settings says where they are from.
func TestBeginsWith(t *testing.T) {
	ctx := context.Background()
	store := mem.New()
	defer store.Close()
	db, err := Open(ctx, store, &Options{Logger: slog.New(slog.DiscardHandler), Settings: map[string]string{
		"statement_timeout": "300000", "LOCK_TIMEOUT": "7s", "work_mem": "8MB", "log_min_duration_statement": "1h",
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	open := func(user string, asked map[string]string) *Session {
		t.Helper()
		s, err := db.NewSession(SessionOptions{User: user, Settings: asked})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(s.Close)
		return s
	}
	boss := open("", nil)
	for _, sql := range []string{
		"CREATE ROLE r LOGIN", "ALTER ROLE r SET statement_timeout = '100ms'", "ALTER ROLE r SET work_mem = '1MB'",
		"ALTER ROLE r SET log_min_duration_statement = 0", "ALTER ROLE r SET app.kind = 'reports'",
	} {
		if _, err := boss.Exec(ctx, sql); err != nil {
			t.Fatal(sql, err)
		}
	}
	type is struct{ value, from string }
	check := func(when string, s *Session, want map[string]is) {
		t.Helper()
		for name, w := range want {
			if got, _ := s.Setting(name); got != w.value {
				t.Errorf("%s: %s is %q, want %q", when, name, got, w.value)
			}
		}
		for _, x := range (sessionFuncs{s}).Settings() {
			if w, ok := want[x.Name]; ok && x.From != w.from {
				t.Errorf("%s: %s is from %q, want %q", when, x.Name, x.From, w.from)
			}
		}
	}
	s := open("r", map[string]string{"Work_Mem": "2MB"})
	began := map[string]is{
		"statement_timeout": {"100ms", settings.FromRole}, "lock_timeout": {"7s", settings.FromServer}, "work_mem": {"2MB", settings.FromClient},
		"log_min_duration_statement": {"0", settings.FromRole}, "app.kind": {"reports", ""}, "idle_session_timeout": {"0", ""},
	}
	check("at first", s, began)
	for _, sql := range []string{"SET statement_timeout = '1s'", "SET lock_timeout = '1s'", "SET work_mem = '3MB'", "SET idle_session_timeout = '1h'"} {
		if _, err := s.Exec(ctx, sql); err != nil {
			t.Fatal(err)
		}
	}
	check("after SET", s, map[string]is{"statement_timeout": {"1s", "session"}, "lock_timeout": {"1s", "session"}, "work_mem": {"3MB", "session"}, "idle_session_timeout": {"1h", "session"}})
	if _, err := s.Exec(ctx, "RESET ALL"); err != nil {
		t.Fatal(err)
	}
	delete(began, "app.kind") // one that nobody defined is empty then
	check("after RESET ALL", s, began)
	if err := db.SetDefaults(map[string]string{"lock_timeout": "9s"}); err != nil {
		t.Fatal(err)
	}
	check("a session that is there", s, began)
	check("one to come", open("", nil), map[string]is{"lock_timeout": {"9s", settings.FromServer}, "statement_timeout": {"0", ""}})
	for _, bad := range []map[string]string{{"lock_timeout": "soon"}, {"no_such": "1"}, {"server_version": "1"}} {
		if err := db.SetDefaults(bad); sqlerr.As(err) == nil {
			t.Errorf("%v: %v", bad, err)
		}
		if _, err := Open(ctx, mem.New(), &Options{Settings: bad}); sqlerr.As(err) == nil {
			t.Errorf("a server with %v opens: %v", bad, err)
		}
	}
	check("after what is refused", open("", nil), map[string]is{"lock_timeout": {"9s", settings.FromServer}})
}
