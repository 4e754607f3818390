package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/internal/childproc"
)

// TestReadme types the README's psql session as printed, on both stores, and
// wants what is printed. With -rewrite it puts what psql said into the README.
func TestReadme(t *testing.T) {
	path, err := exec.LookPath("psql")
	if err != nil {
		if os.Getenv("SALTSQL_REQUIRE_POSTGRES") != "" {
			t.Fatal("psql is not installed")
		}
		t.Skip("psql is not installed")
	}
	b, err := os.ReadFile("../README.md")
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(b), "```sql\nsaltsql=#")
	session, after, ok2 := strings.Cut("saltsql=#"+rest, "```\n")
	if !ok || !ok2 {
		t.Fatal("the README has no session")
	}
	statements := typed(session)
	for _, store := range []string{"pebble", "bigtable"} {
		t.Run(store, func(t *testing.T) {
			host, port := harness.Serve(t, variant{store: store}.open(t))
			var got strings.Builder
			for _, s := range statements {
				got.WriteString(prompted(s))
				cmd := childproc.Command(path, "-X", "-h", host, "-p", fmt.Sprint(port), "-U", "tester", "-d", "saltsql", "-v", "ON_ERROR_STOP=0", "-f", "-")
				cmd.Stdin = strings.NewReader(s)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%s: %v\n%s", s, err, out)
				}
				got.WriteString(strings.ReplaceAll(string(out), "psql:<stdin>:1: ", ""))
			}
			if *rewrite && store == "pebble" {
				if err := os.WriteFile("../README.md", []byte(before+"```sql\n"+got.String()+"```\n"+after), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if got.String() != session {
				t.Errorf("psql says\n%s\nthe README says\n%s", got.String(), session)
			}
		})
	}
}

// typed gives the statements of a session: what stands behind psql's prompts.
func typed(session string) []string {
	var out []string
	for _, line := range strings.Split(session, "\n") {
		if s, ok := strings.CutPrefix(line, "saltsql=# "); ok {
			out = append(out, s+"\n")
		} else if s, ok := strings.CutPrefix(line, "saltsql(# "); ok {
			out[len(out)-1] += s + "\n"
		} else if s, ok := strings.CutPrefix(line, "saltsql-# "); ok {
			out[len(out)-1] += s + "\n"
		}
	}
	return out
}

// prompted puts psql's prompts before a statement's lines.
func prompted(s string) string {
	var out strings.Builder
	prompt, open := "saltsql=# ", 0
	for _, line := range strings.SplitAfter(s, "\n") {
		if line == "" {
			break
		}
		out.WriteString(prompt + line)
		open += strings.Count(line, "(") - strings.Count(line, ")")
		prompt = "saltsql-# "
		if open > 0 {
			prompt = "saltsql(# "
		}
	}
	return out.String()
}
