package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/childproc"
)

// TestChoose changes files of a small module and looks at the commands.
func TestChoose(t *testing.T) {
	t.Setenv("GOWORK", "")
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := childproc.Command("git", append([]string{"-c", "user.name=t", "-c", "user.email=t@t", "-c", "init.defaultBranch=main"}, args...)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	for name, text := range map[string]string{
		"go.mod":                         "module m\n\ngo 1.24\n",
		"root.go":                        "package m\n",
		"README.md":                      "read me\n",
		"docs/a.md":                      "a\n",
		"leaf/leaf.go":                   "package leaf\n\nimport _ \"embed\"\n\n//go:embed data/in.txt\nvar in string\n",
		"leaf/leaf_test.go":              "package leaf\n",
		"leaf/data/in.txt":               "in\n",
		"leaf/testdata/deep/a":           "a\n",
		"mid/mid.go":                     "package mid\n\nimport _ \"m/leaf\"\n",
		"top/top.go":                     "package top\n",
		"top/top_test.go":                "package top_test\n\nimport _ \"m/mid\"\n",
		"apart/apart.go":                 "package apart\n",
		"internal/lint/lint_test.go":     "package lint\n",
		"conformance/slt_test.go":        "package conformance\n\nimport _ \"m/top\"\n",
		"go.work":                        "go 1.25\n\nuse (\n\t.\n\t./joined\n)\n",
		"joined/go.mod":                  "module joined\n\ngo 1.24\n",
		"joined/joined.go":               "package joined\n",
		"leaf/nested/go.mod":             "module nested\n",
		"leaf/nested/nested.go":          "package nested\n",
		"conformance/testdata/pg_x.slt":  "x\n",
		"conformance/servers/a_test.go":  "package servers\n",
		"conformance/harness/harness.go": "package harness\n",
	} {
		write(name, text)
	}
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "all")
	for _, c := range []struct {
		name  string
		files map[string]string // "" removes
		want  string            // the commands but for gofmt and vet
	}{
		{"nothing", nil, ""},
		{"a leaf", map[string]string{"leaf/leaf.go": "package leaf\n"},
			"go test ./leaf; go test -short ./internal/lint ./mid ./top"},
		{"an embedded file", map[string]string{"leaf/data/in.txt": "out\n"},
			"go test ./leaf; go test -short ./mid ./top"},
		{"a new file", map[string]string{"leaf/new.go": "package leaf\n"},
			"go test ./leaf; go test -short ./internal/lint ./mid ./top"},
		{"a file that goes", map[string]string{"leaf/leaf.go": "", "leaf/leaf_test.go": "package leaf\n\n// changed\n", "leaf/other.go": "package leaf\n"},
			"go test ./leaf; go test -short ./internal/lint ./mid ./top"},
		{"a test", map[string]string{"leaf/leaf_test.go": "package leaf\n\n// changed\n"},
			"go test ./leaf; go test -short ./internal/lint"},
		{"what a test reads", map[string]string{"leaf/testdata/deep/a": "b\n"}, "go test ./leaf"},
		{"what only a suite imports", map[string]string{"top/top.go": "package top\n\n// changed\n"},
			"go test ./top; go test -short ./internal/lint; go test -short -run ^(TestSLT)$ ./conformance"},
		{"a test of a suite", map[string]string{"conformance/slt_test.go": "package conformance\n\nimport \"testing\"\n\nfunc TestX(t *testing.T) {}\n"},
			"go test -short ./internal/lint; go test -short -run ^(TestSLT|TestX)$ ./conformance"},
		{"a file of a suite", map[string]string{"conformance/testdata/pg_x.slt": "y\n"},
			"go test -short -run ^(TestSLT)$ ./conformance"},
		{"pages", map[string]string{"README.md": "do read me\n", "docs/b.md": "b\n"},
			"go test -short -run ^(TestDocsSQL|TestDocsCommands|TestDocsLinks|TestDocsLists|TestDashboard|TestReadme)$ ./conformance"},
		{"another module", map[string]string{"leaf/nested/nested.go": "package nested\n\n// changed\n"}, ""},
		{"a module of the workspace", map[string]string{"joined/joined.go": "package joined\n\n// changed\n"},
			"go test ./joined; go test -short ./internal/lint"},
		{"the root", map[string]string{"root.go": "package m\n\n// changed\n"}, "go test .; go test -short ./internal/lint"},
		{"what all is built of", map[string]string{"go.mod": "module m\n\ngo 1.25\n"},
			"go test -short . ./apart ./conformance/harness ./internal/lint ./joined ./leaf ./mid ./top; go test -short -run ^(TestSLT)$ ./conformance; go test -short -run ^(TestKilledServer)$ ./conformance/servers"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for name, text := range c.files {
				if text == "" {
					if err := os.Remove(filepath.Join(root, name)); err != nil {
						t.Fatal(err)
					}
					continue
				}
				write(name, text)
			}
			_, files, err := changes(root, "")
			if err != nil {
				t.Fatal(err)
			}
			packages, err := list(root)
			if err != nil {
				t.Fatal(err)
			}
			s, err := choose(root, files, packages)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, step := range s.steps() {
				if step.what != "gofmt" && step.what != "vet" {
					got = append(got, strings.Join(step.args, " "))
				}
			}
			if text := strings.Join(got, "; "); text != c.want {
				t.Errorf("for %q\n%s\nwanted\n%s", files, text, c.want)
			}
			git("checkout", "-q", ".")
			git("clean", "-q", "-f", "-d")
		})
	}
}

// TestNamedTestsExist asserts that the tables name tests that there are.
func TestNamedTestsExist(t *testing.T) {
	check := func(dir, tests string) {
		var there []string
		files, err := filepath.Glob(filepath.Join("../..", dir, "*_test.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			names, err := testsIn(f)
			if err != nil {
				t.Fatal(err)
			}
			there = append(there, names...)
		}
		for name := range strings.SplitSeq(tests, "|") {
			if !slices.Contains(there, name) {
				t.Errorf("%s has no %s", dir, name)
			}
		}
	}
	for dir, tests := range suites {
		check(dir, tests)
	}
	for _, r := range readers {
		check(r.dir, r.tests)
	}
}
