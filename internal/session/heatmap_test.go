package session_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/session/sessiontest"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestDrawHeatmap draws what was written and read in 20 minutes: a log that all buckets share, and
// one that one bucket has, by its SALT_COLUMNS.
func TestDrawHeatmap(t *testing.T) {
	var at atomic.Int64
	at.Store(time.Date(2026, 11, 29, 15, 0, 30, 0, time.UTC).Unix())
	store := mem.New()
	db, err := session.Open(context.Background(), store, &session.Options{Now: func() time.Time { return time.Unix(at.Load(), 0) }})
	if err != nil {
		t.Fatal(err)
	}
	s, err := db.NewSession(session.SessionOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		db.Close()
		store.Close()
	})
	run := func(text string) []string {
		t.Helper()
		rows, err := sessiontest.Rows(s, text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for i := range rows {
			rows[i] = strings.TrimPrefix(rows[i], "|")
		}
		return rows
	}
	run("SET timezone = 'UTC'")
	run("CREATE TABLE whole (tenant text, n int, PRIMARY KEY (tenant, n)) SALT_BUCKETS = 4")
	run("CREATE TABLE prefix (tenant text, n int, PRIMARY KEY (tenant, n)) SALT_BUCKETS = 4, SALT_COLUMNS = (tenant)")
	run("CREATE TABLE log (n int PRIMARY KEY)")
	for minute := range 20 {
		for _, of := range []string{"whole", "prefix"} {
			run(fmt.Sprintf("INSERT INTO %s SELECT 'acme', g FROM generate_series(%d, %d) g", of, minute*10000, minute*10000+100*(1+minute)))
		}
		run(fmt.Sprintf("INSERT INTO log VALUES (%d)", minute))
		at.Add(60)
		run("SELECT count(*) FROM saltsql.heatmap") // who asks ends the minute
	}
	for query, want := range map[string]string{
		"SELECT saltsql.draw_heatmap('prefix', last => '20 min')": `
writes of prefix a second, from 2026-11-29 15:01 +00, 1 min a column
0 |                    |     0 /s
1 |                    |     0 /s
2 |                    |     0 /s
3 |··░░░░▒▒▒▒▓▓▓▓█████ |  17.9 /s  4.0 times the mean; by chance 1.01
   15:01     15:11
   · to 6.7 /s  ░ to 13.3 /s  ▒ to 20.0 /s  ▓ to 26.7 /s  █ to 33.4 /s`,
		"SELECT saltsql.draw_heatmap('whole', 'bytes_written')": `
bytes_written of whole a second, from 2026-11-29 14:21 +00, 1 min a column
0 |                                       ····░░░░▒▒▒▓▓▓▓▓████ |  22.1 B/s
1 |                                       ···░░░░░▒▒▒▒▓▓▓█████ |  22.1 B/s
2 |                                       ····░░░▒▒▒▒▒▓▓▓▓████ |  22.1 B/s
3 |                                       ····░░░░▒▒▒▒▓▓▓▓████ |  22.1 B/s
   14:21     14:31     14:41     14:51     15:01     15:11
   · to 25.1 B/s  ░ to 50.1 B/s  ▒ to 75.2 B/s  ▓ to 100 B/s  █ to 125 B/s`,
		"SELECT * FROM saltsql.draw_heatmap('log', 'writes', '3:00:00')": `
writes of log a second, from 2026-11-29 12:21 +00, 3 min a column
all |                                                     ███████| 0.0019 /s
     12:21     12:51     13:21     13:51     14:21     14:51
     · to 0.0033 /s  ░ to 0.0067 /s  ▒ to 0.01 /s  ▓ to 0.013 /s  █ to 0.017 /s`,
		"SELECT count(*), min(minutes), max(minutes), min(at), max(at), sum(writes) FROM saltsql.heatmap WHERE table_name = 'log'": `
20|1|1|2026-11-29 15:00:00+00|2026-11-29 15:19:00+00|20`,
		"SELECT saltsql.heatmap_svg('log', metric => 'reads') LIKE '<svg %</svg>_'": "\nt",
	} {
		if got := "\n" + strings.Join(run(query), "\n"); got != want {
			t.Errorf("%s:%s", query, got)
		}
	}
}
