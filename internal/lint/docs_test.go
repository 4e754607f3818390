package lint

import (
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
