package session

import (
	"context"
	"fmt"
	"strings"
	"testing"
)

// TestFlatLists: lists of AND and OR have no depth, and mean what they say.
func TestFlatLists(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long beside the race detector, on one goroutine")
	}
	ctx := context.Background()
	s := openSession(t, SessionOptions{})
	for _, text := range []string{"CREATE TABLE t (a INT PRIMARY KEY, b INT)", "INSERT INTO t SELECT i, i FROM generate_series(1, 1500) i"} {
		if _, err := s.Exec(ctx, text); err != nil {
			t.Fatal(err)
		}
	}
	for _, n := range []int{511, 512, 513, 1025, 20_000} {
		there := int64(min(n, 1500))
		terms := func(format, op string) string {
			parts := make([]string, n)
			for i := range parts {
				parts[i] = fmt.Sprintf(format, i+1)
			}
			return strings.Join(parts, op)
		}
		for cond, want := range map[string]int64{
			terms("b = %d", " OR "):                        there,
			terms("b <> %d", " AND "):                      1500 - there,
			"a < 10 AND (" + terms("b = %d", " OR ") + ")": 9,
			"NOT (" + terms("b = %d", " OR ") + ")":        1500 - there,
			terms("b = %d AND a = b", " OR "):              there,
		} {
			rows, err := s.Query(ctx, "SELECT count(*) FROM t WHERE "+cond)
			if err != nil {
				t.Errorf("%d terms, %.30s: %v", n, cond, err)
				continue
			}
			rows.Next()
			if got := rows.Text(0); got != fmt.Sprint(want) {
				t.Errorf("%d terms, %.30s: %s, not %d", n, cond, got, want)
			}
			rows.Close()
		}
	}
}
