package lint

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestEveryPackageHasDoc asks each package for a doc.go with a package comment.
func TestEveryPackageHasDoc(t *testing.T) {
	root := "../.."
	dirs := map[string]bool{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != root && (strings.HasPrefix(d.Name(), ".") && d.Name() != ".." || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") {
			dirs[filepath.Dir(path)] = true
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for dir := range dirs {
		b, err := os.ReadFile(filepath.Join(dir, "doc.go"))
		if err != nil || !(strings.HasPrefix(string(b), "// Package ") || strings.HasPrefix(string(b), "// Command ")) {
			t.Errorf("%s: no doc.go that begins with the package comment", filepath.ToSlash(dir))
		}
	}
}

// mostLines is how long a file may be that does not say why.
const mostLines = 400

// TestLongFilesSayWhy asks each file of more than mostLines lines, tests aside, for a comment at
// its top that begins with "Long because".
func TestLongFilesSayWhy(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "../.." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		seen++
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if lines := bytes.Count(b, []byte("\n")); lines > mostLines && !bytes.Contains(b[:min(len(b), 3000)], []byte("\n// Long because ")) {
			t.Errorf("%s has %d lines, and does not say at its top why: // Long because …", path, lines)
		}
		return nil
	})
	if err != nil || seen < 500 {
		t.Fatal(seen, err)
	}
}

// TestAllocationsAreCountedByAlloctest keeps tests that bound allocations from failing at random
// under the race detector.
func TestAllocationsAreCountedByAlloctest(t *testing.T) {
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "alloctest.go") {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(b, []byte("testing.Allocs"+"PerRun(")) {
			t.Errorf("%s counts allocations without alloctest", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
