package lint

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// fileName finds names of files: of Go, of pages and of what tests read.
var fileName = regexp.MustCompile(`(?:[\w.-]+/)*\w[\w-]*\.(?:go|md|slt|sh|py)\b`)

// TestNamedFilesExist looks for each file that a comment of Go, a page of the manual, README or
// CONTRIBUTING names: beside the one that names it, or anywhere by the end of its path.
func TestNamedFilesExist(t *testing.T) {
	const root = "../.."
	at := map[string][]string{} // full paths, by the last part
	var pages []string
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return filepath.SkipDir
		}
		if d.IsDir() {
			return nil
		}
		path = filepath.ToSlash(strings.TrimPrefix(path, root+"/"))
		at[d.Name()] = append(at[d.Name()], "/"+path)
		if strings.HasSuffix(path, ".go") || strings.HasSuffix(path, ".md") && (!strings.Contains(path, "/") || strings.HasPrefix(path, "docs/")) {
			pages = append(pages, path)
		}
		return nil
	})
	if err != nil || len(pages) < 1000 {
		t.Fatal(len(pages), err)
	}
	named := 0
	for _, path := range pages {
		b, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		for n, line := range strings.Split(string(b), "\n") {
			if strings.HasSuffix(path, ".go") {
				if _, line, _ = strings.Cut(strings.ReplaceAll(" "+line, "\t", " "), " // "); line == "" {
					continue
				}
			}
			for _, found := range fileName.FindAllStringIndex(line, -1) {
				name := line[found[0]:found[1]]
				if before := line[:found[0]]; strings.HasSuffix(before, "*") || strings.HasSuffix(before, ">") || strings.HasSuffix(before, "_") || strings.Contains(name, "NAME") || strings.HasSuffix(name, "pick.go") {
					continue // of a kind, or a recipe's
				}
				named++
				full := at[name[strings.LastIndexByte(name, '/')+1:]]
				name = strings.TrimPrefix(strings.TrimPrefix(name, "./"), "../")
				if !slices.ContainsFunc(full, func(p string) bool { return strings.HasSuffix(p, "/"+name) }) {
					t.Errorf("%s:%d: there is no file %s", path, n+1, name)
				}
			}
		}
	}
	if named < 200 {
		t.Errorf("%d names of files were found", named)
	}
}
