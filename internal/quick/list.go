package main

import (
	"encoding/json"
	"errors"
	"io"
	"path"
	"path/filepath"
	"strings"
)

// goPackage is what `go list` says of a package. Dir becomes a path from the module's root with
// slashes, "." for the root's own.
type goPackage struct {
	Dir, ImportPath                             string
	Deps, TestImports, XTestImports             []string // Deps: of the package without its tests
	EmbedFiles, TestEmbedFiles, XTestEmbedFiles []string // paths from Dir
}

// list gives the packages of the module at root, and of those that its go.work names, by Dir. One that does not compile is among them.
func list(root string) (map[string]*goPackage, error) {
	text, err := output(root, "go", "list", "-e", "-json=Dir,ImportPath,Deps,TestImports,XTestImports,EmbedFiles,TestEmbedFiles,XTestEmbedFiles", "work")
	if err != nil {
		return nil, err
	}
	all := map[string]*goPackage{}
	for d := json.NewDecoder(strings.NewReader(text)); ; {
		p := &goPackage{}
		if err := d.Decode(p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		// root may be a name of the folder that goes by a link.
		real, err := filepath.EvalSymlinks(root)
		if err != nil {
			return nil, err
		}
		dir, err := filepath.Rel(real, p.Dir)
		if err != nil {
			return nil, err
		}
		p.Dir = filepath.ToSlash(dir)
		all[p.Dir] = p
	}
}

// embedded says which packages' code has a file in it, and which packages' tests.
func embedded(packages map[string]*goPackage) (code, tests map[string][]string) {
	code, tests = map[string][]string{}, map[string][]string{}
	for dir, p := range packages {
		for _, f := range p.EmbedFiles {
			code[path.Join(dir, f)] = append(code[path.Join(dir, f)], dir)
		}
		for _, f := range append(p.TestEmbedFiles, p.XTestEmbedFiles...) {
			tests[path.Join(dir, f)] = append(tests[path.Join(dir, f)], dir)
		}
	}
	return code, tests
}

// uses says whether p or its tests import one of the packages, which go by import path, directly
// or not.
func (p *goPackage) uses(of map[string]bool, byPath map[string]*goPackage) bool {
	for _, d := range p.Deps {
		if of[d] {
			return true
		}
	}
	for _, list := range [][]string{p.TestImports, p.XTestImports} {
		for _, t := range list {
			if of[t] && t != p.ImportPath {
				return true
			}
			if q := byPath[t]; q != nil && q != p {
				for _, d := range q.Deps {
					if of[d] {
						return true
					}
				}
			}
		}
	}
	return false
}
