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
 0 |                                                     █      | 9.3e-05 /s
 1 |                                                     █      | 9.3e-05 /s
 2 |                                                     █      | 9.3e-05 /s
 3 |                                                      █     | 9.3e-05 /s
 4 |                                                      █     | 9.3e-05 /s
 5 |                                                      █     | 9.3e-05 /s
 6 |                                                       █    | 9.3e-05 /s
 7 |                                                       █    | 9.3e-05 /s
 8 |                                                       █    | 9.3e-05 /s
 9 |                                                        █   | 9.3e-05 /s
10 |                                                        █   | 9.3e-05 /s
11 |                                                        █   | 9.3e-05 /s
12 |                                                         █  | 9.3e-05 /s
13 |                                                         █  | 9.3e-05 /s
14 |                                                         █  | 9.3e-05 /s
15 |                                                          █ | 9.3e-05 /s
16 |                                                          █ | 9.3e-05 /s
17 |                                                          █ | 9.3e-05 /s
18 |                                                           █| 9.3e-05 /s
19 |                                                           █| 9.3e-05 /s
    12:21     12:51     13:21     13:51     14:21     14:51
    · to 0.0013 /s  ░ to 0.0027 /s  ▒ to 0.004 /s  ▓ to 0.0053 /s  █ to 0.0067 /s`,
		"SELECT count(*), min(minutes), max(minutes), min(at), max(at), sum(writes) FROM saltsql.heatmap WHERE table_name = 'log'": `
20|1|1|2026-11-29 15:00:00+00|2026-11-29 15:19:00+00|20`,
		"SELECT quantile, key_from, key_to, sum(writes), sum(samples) FROM saltsql.heatmap WHERE table_name = 'log' AND quantile IN (0, 7, 19) GROUP BY 1, 2, 3 ORDER BY 1": `
0|{0}|{1}|1|1
7|{7}|{8}|1|1
19|{19}||1|1`,
		// Of 20 minutes each bucket has as much, and a range of keys has it in one of them.
		"SELECT count(*), max(minutes) FROM (SELECT quantile, count(DISTINCT at) AS minutes FROM saltsql.heatmap WHERE table_name = 'whole' GROUP BY 1) x": `
256|2`,
		"SELECT saltsql.draw_heatmap('prefix', 'writes', '20 min', 'key') LIMIT 3": `
writes of prefix a second, from 2026-11-29 15:01 +00, 1 min a column
 acme, 10000 |·                   |   0.1 /s
 acme, 10113 |··                  |   0.1 /s`,
		"SELECT octet_length(saltsql.heatmap_bytes('log')), octet_length(saltsql.heatmap_bytes('whole', last => '20 min')), max(get_byte(saltsql.heatmap_bytes('whole'), g)) FROM generate_series(0, 239) g": `
1200|80|255`,
		"SELECT saltsql.heatmap_svg('log', metric => 'reads') LIKE '<svg %</svg>_'": "\nt",
	} {
		if got := "\n" + strings.Join(run(query), "\n"); got != want {
			t.Errorf("%s:%s", query, got)
		}
	}
}
