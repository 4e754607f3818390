package conformance

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
)

// TestLateNullKeyWritesNothing: a NULL in the key of a row far back in VALUES is
// found before the first row is written, on a store without transactions too.
func TestLateNullKeyWritesNothing(t *testing.T) {
	var rows strings.Builder
	for i := range 1500 {
		fmt.Fprintf(&rows, "(%d, 0), ", i)
	}
	for _, v := range []variant{{"pebble", 4, false}, {"bigtable", 4, false}} {
		for _, verb := range []string{"INSERT", "UPSERT"} {
			ctx := context.Background()
			e := engine{v, v.open(t)}
			c, err := e.Open(ctx)
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			if _, _, err := c.Exec(ctx, "CREATE TABLE t (k INT PRIMARY KEY, n INT) "+e.Salt()); err != nil {
				t.Fatal(err)
			}
			_, _, err = c.Exec(ctx, verb+" INTO t VALUES "+rows.String()+"(NULL, 1)")
			var st interface{ SQLState() string }
			if !errors.As(err, &st) || st.SQLState() != "23502" {
				t.Fatalf("%s, %s: %v", v, verb, err)
			}
			got, _, err := c.Exec(ctx, "SELECT count(*) FROM t")
			if err != nil || *got[0][0] != "0" {
				t.Fatalf("%s, %s: rows were written: %v", v, verb, err)
			}
		}
	}
}
