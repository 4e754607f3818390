package session

import (
	"context"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/storage/mem"
)

// TestCascadeTellsAll: DROP … CASCADE names in its notices each thing that is gone after it.
func TestCascadeTellsAll(t *testing.T) {
	for _, drop := range []string{"DOMAIN email", "TYPE mood", "VIEW grown", "TABLE users", "SCHEMA s"} {
		t.Run(drop, func(t *testing.T) {
			store := mem.New()
			defer store.Close()
			db, err := Open(context.Background(), store, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			told := ""
			c := newClient(t, db, SessionOptions{Notice: func(n *sqlerr.Error) { told += n.Message + "\n" + n.Detail + "\n" }})
			for _, sql := range []string{
				"CREATE SCHEMA s", "CREATE TABLE s.other (id int PRIMARY KEY)", "CREATE VIEW of_other AS SELECT id FROM s.other",
				"CREATE DOMAIN email AS text", "CREATE TYPE mood AS ENUM ('a', 'b')",
				"CREATE TABLE users (id int PRIMARY KEY, mail email, m mood, n int)",
				"CREATE VIEW grown AS SELECT id, mail, m, n FROM users", "CREATE VIEW above AS SELECT id AS key, upper(mail) AS up FROM grown",
				"CREATE VIEW casts AS SELECT 'x'::email AS e, 'a'::mood AS o", "CREATE INDEX by_mail ON users (n) WHERE mail = 'x' AND m = 'a'",
			} {
				c.must(sql)
			}
			const all = "SELECT relname FROM pg_class WHERE relname IN ('users', 'grown', 'above', 'casts', 'by_mail', 'other', 'of_other') ORDER BY 1"
			before := c.query(all)
			told = ""
			c.must("DROP " + drop + " CASCADE")
			after := c.query(all)
			gone := 0
			for _, name := range []string{"users", "grown", "above", "casts", "by_mail", "other", "of_other"} {
				if !strings.Contains(before, name) {
					t.Fatal(before)
				}
				own := strings.HasSuffix(drop, " "+name) || name == "by_mail" && drop == "TABLE users"
				if strings.Contains(after, name) || own {
					continue
				}
				if gone++; !strings.Contains(told, " "+name+"\n") && !strings.Contains(told, "."+name+"\n") {
					t.Errorf("%s is gone, and the notices do not say so: %s", name, told)
				}
			}
			if gone == 0 {
				t.Errorf("nothing is gone: %s", after)
			}
		})
	}
}
