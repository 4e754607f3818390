package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// selection is what to check, by folders of packages.
type selection struct {
	format    []string            // files
	changed   []string            // packages with files that have changed
	importers []string            // those that import code which has changed, and have not changed themselves
	some      map[string][]string // of packages in neither, or suites: the tests to run
	nested    []string            // folders of other modules with changed files
}

// choose says what the changed files ask for.
func choose(root string, files []string, packages map[string]*goPackage) (*selection, error) {
	s := &selection{some: map[string][]string{}}
	inCode, inTests := embedded(packages)
	changed := map[string]bool{} // by folder
	code := map[string]bool{}    // by import path: importers are reached
	touch := func(dir string, isCode bool) {
		changed[dir] = true
		code[packages[dir].ImportPath] = code[packages[dir].ImportPath] || isCode
	}
	everything, source := false, false
	for _, f := range files {
		_, err := os.Stat(filepath.Join(root, f))
		isGo := strings.HasSuffix(f, ".go")
		if isGo && err == nil {
			s.format = append(s.format, f)
		}
		for _, r := range readers {
			if f == r.of || strings.HasSuffix(r.of, "/") && strings.HasPrefix(f, r.of) {
				s.some[r.dir] = append(s.some[r.dir], r.tests)
			}
		}
		everything = everything || slices.Contains([]string{"go.mod", "go.sum", "go.work", "go.work.sum"}, f)
		for _, dir := range inCode[f] {
			touch(dir, true)
		}
		for _, dir := range inTests[f] {
			touch(dir, false)
		}
		dir := path.Dir(f)
		for packages[dir] == nil && dir != "." {
			dir = path.Dir(dir)
		}
		// What go.work names is among the packages.
		if m := module(root, f); m != "." && dir != m && !strings.HasPrefix(dir, m+"/") {
			s.nested = append(s.nested, m)
			continue
		}
		source = source || isGo
		if packages[dir] == nil || dir == "." && !(isGo && path.Dir(f) == ".") && !strings.HasPrefix(f, "testdata/") {
			continue // it is in no package: README.md, docs
		}
		isTest := strings.HasSuffix(f, "_test.go") || slices.Contains(strings.Split(f, "/"), "testdata")
		touch(dir, isGo && !isTest)
		if suites[dir] != "" && isGo && isTest && err == nil {
			names, err := testsIn(filepath.Join(root, f))
			if err != nil {
				return nil, err
			}
			s.some[dir] = append(s.some[dir], names...)
		}
	}
	byPath := map[string]*goPackage{}
	for _, p := range packages {
		byPath[p.ImportPath] = p
	}
	maps.DeleteFunc(code, func(_ string, is bool) bool { return !is })
	for _, dir := range slices.Sorted(maps.Keys(packages)) {
		switch reached := everything || source && dir == overSource || packages[dir].uses(code, byPath); {
		case suites[dir] != "" && (changed[dir] || reached):
			s.some[dir] = append(s.some[dir], suites[dir])
		case suites[dir] != "":
		case changed[dir]:
			s.changed = append(s.changed, dir)
		case reached:
			s.importers = append(s.importers, dir)
		}
	}
	for dir, names := range s.some {
		slices.Sort(names)
		s.some[dir] = slices.Compact(names)
	}
	slices.Sort(s.nested)
	s.nested = slices.Compact(s.nested)
	return s, nil
}

// module gives the folder of the module that file f is in; "." is this one.
func module(root, f string) string {
	for dir := path.Dir(f); dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(root, dir, "go.mod")); err == nil {
			return dir
		}
	}
	return "."
}

// testsIn gives the names of a file's tests.
func testsIn(file string) (names []string, err error) {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	for _, d := range f.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" {
			names = append(names, fn.Name.Name)
		}
	}
	return names, nil
}
