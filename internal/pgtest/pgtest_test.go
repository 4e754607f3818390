package pgtest

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestStart(t *testing.T) {
	ctx := context.Background()
	c, err := pgconn.Connect(ctx, Start(t))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close(ctx)
	res, err := c.Exec(ctx, "SELECT 'é' > 'z', current_setting('lc_collate')").ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if row := res[0].Rows[0]; string(row[0]) != "t" || string(row[1]) != "C" {
		t.Errorf("got %q", row)
	}
}

// TestTemplates: databases are made of templates that several servers have, each for itself.
func TestTemplates(t *testing.T) {
	ctx := context.Background()
	for range 2 {
		c, err := pgconn.Connect(ctx, Start(t))
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close(ctx)
		for _, sql := range []string{"CREATE DATABASE a", "CREATE DATABASE b TEMPLATE template0", "CREATE DATABASE c TEMPLATE a", "DROP DATABASE a"} {
			if _, err := c.Exec(ctx, sql).ReadAll(); err != nil {
				t.Errorf("%s: %v", sql, err)
			}
		}
		res, err := c.Exec(ctx, "SELECT count(*) FROM pg_database").ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if n := string(res[0].Rows[0][0]); n != "5" {
			t.Errorf("%s databases", n)
		}
	}
}
