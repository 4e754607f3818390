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
