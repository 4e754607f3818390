package plan

import "testing"

func TestFirstPage(t *testing.T) {
	for _, c := range []struct {
		limit int64
		n     int
		want  int64
	}{{10, 8, 5}, {10, 1, 10}, {2, 8, 2}, {1, 256, 1}, {1000, 4, 253}, {4, 256, 4}, {0, 4, 0}} {
		if got := FirstPage(c.limit, c.n); got != c.want {
			t.Errorf("FirstPage(%d, %d) = %d, want %d", c.limit, c.n, got, c.want)
		}
	}
}
