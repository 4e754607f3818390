package dialect

import (
	"strings"
	"testing"
)

// TestTruncatedNames holds that each name over 63 bytes is told of once, with the
// statement it stands in, however deep and however often it is read.
func TestTruncatedNames(t *testing.T) {
	long := strings.Repeat("a", 62) + "é" // 64 bytes
	cut := strings.Repeat("a", 62)
	for _, c := range []struct {
		text string
		want []int // notices of each statement
	}{
		{"SELECT 1 AS @", []int{1}},
		{`SELECT "@" FROM @`, []int{2}},
		{"SELECT 1; SELECT 2 AS @; SELECT 3", []int{0, 1, 0}},
		{"EXPLAIN SELECT 1 AS @", []int{1}},
		{"PREPARE @ AS SELECT 1 AS @", []int{2}},
		{"DECLARE @ CURSOR FOR SELECT 1 AS @", []int{2}},
		{"WITH @ AS (SELECT 1) SELECT * FROM @", []int{2}},
		{"CREATE TABLE @ (k INT PRIMARY KEY, v INT DEFAULT length('@'), CONSTRAINT @ CHECK (@ > 0))", []int{3}},
		{"ALTER TABLE t RENAME COLUMN a TO @", []int{1}},
		{"SELECT '@', $$@$$", []int{0}},
	} {
		text := strings.ReplaceAll(c.text, "@", long)
		stmts, err := Parse(text)
		if err != nil {
			t.Fatal(text, err)
		}
		if len(stmts) != len(c.want) {
			t.Fatalf("%s: %d statements", text, len(stmts))
		}
		for i, st := range stmts {
			if len(st.Side.Notices) != c.want[i] {
				t.Errorf("%s: statement %d has %d notices, want %d", c.text, i, len(st.Side.Notices), c.want[i])
			}
			for _, n := range st.Side.Notices {
				if want := `identifier "` + long + `" will be truncated to "` + cut + `"`; n.Message != want || n.Code.String() != "42622" {
					t.Errorf("%s: %s %s", c.text, n.Code, n.Message)
				}
			}
		}
	}
}
