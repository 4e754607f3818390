package utility_test

import (
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/dialect/utility"
)

// Each kind that is refused is reached by its words and goes by its own sentence: no other kind,
// and nothing that is read further, stands in front of it.
func TestRefusedIsReached(t *testing.T) {
	seen := map[string]bool{}
	for commands, instead := range utility.Refused() {
		if len(commands) == 0 || instead == "" {
			t.Errorf("%v: %q", commands, instead)
		}
		for _, command := range commands {
			if seen[command] {
				t.Errorf("%s is there twice", command)
			}
			seen[command] = true
			text := strings.ReplaceAll(command, "...", "c")
			pos := 1
			if text != command {
				pos = strings.Index(text, " c ") + len(" c ") + 1
			}
			var u *tree.Unsupported
			for _, rest := range []string{"", " x", " 'x'", " (x)"} {
				if stmts, err := dialect.Parse(text + rest); err == nil && u == nil {
					u, _ = stmts[0].Utility.(*tree.Unsupported)
				}
			}
			if u == nil || u.Command != strings.Replace(command, "OR REPLACE ", "", 1) || u.Instead != instead || u.Pos != pos {
				t.Errorf("%s is read as %+v", command, u)
			}
		}
	}
	if len(seen) < 100 {
		t.Errorf("%d commands only", len(seen))
	}
}
