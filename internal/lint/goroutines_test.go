package lint

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoroutinesAreGuarded asserts that a panic on a goroutine does not end the process: what a go
// statement or a Go method starts goes through package guard, or recovers, itself or in a function
// of its package that it calls. A goroutine that only waits for others and tells of it need not.
func TestGoroutinesAreGuarded(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../..", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		rel, _ := filepath.Rel("../..", dir)
		rel = filepath.ToSlash(rel)
		if rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasGoMod(dir)) {
			return filepath.SkipDir
		}
		if isTestSupport(rel) || rel == "storage/bigtable/replay" { // a service for tests
			return nil
		}
		p := goroutines{fset: token.NewFileSet(), funcs: map[string][]*ast.BlockStmt{}}
		files, err := filepath.Glob(filepath.Join(dir, "*.go"))
		for _, path := range files {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(p.fset, path, nil, 0)
			if err != nil {
				return err
			}
			p.files = append(p.files, f)
			for _, d := range f.Decls {
				if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
					p.funcs[f.Name.Name] = append(p.funcs[f.Name.Name], f.Body)
				}
			}
		}
		for _, f := range p.files {
			ast.Inspect(f, func(n ast.Node) bool {
				if started := startedBy(n); started != nil {
					seen++
					if !p.guarded(started, 2) && !waits(started) {
						t.Errorf("%s: a panic of this goroutine ends the process: start it by package guard", p.fset.Position(n.Pos()))
					}
				}
				return true
			})
		}
		return err
	})
	if err != nil || seen < 40 {
		t.Fatal(seen, err)
	}
}

// startedBy gives what a node starts a goroutine with, or nil.
func startedBy(n ast.Node) ast.Node {
	switch n := n.(type) {
	case *ast.GoStmt:
		return n.Call
	case *ast.CallExpr:
		if s, ok := n.Fun.(*ast.SelectorExpr); ok && s.Sel.Name == "Go" && len(n.Args) == 1 {
			return n.Args[0]
		}
	}
	return nil
}

// goroutines are the functions of one package.
type goroutines struct {
	fset  *token.FileSet
	files []*ast.File
	funcs map[string][]*ast.BlockStmt
}

// guarded says that a node has a call of package guard, of recover, or of a function of its package
// that has, so many calls away.
func (p *goroutines) guarded(n ast.Node, depth int) (yes bool) {
	ast.Inspect(n, func(n ast.Node) bool {
		name := ""
		switch n := n.(type) {
		case *ast.SelectorExpr:
			if x, ok := n.X.(*ast.Ident); ok && (x.Name == "guard" || x.Name == "op" && (n.Sel.Name == "Guarded" || n.Sel.Name == "Recover")) {
				yes = true
			}
			name = n.Sel.Name
		case *ast.Ident:
			if yes = yes || n.Name == "recover"; depth > 0 {
				name = n.Name
			}
		}
		for _, body := range p.funcs[name] {
			yes = yes || depth > 0 && p.guarded(body, depth-1)
		}
		return !yes
	})
	return yes
}

// waits says that a node's calls wait, or tell others that something is over.
func waits(n ast.Node) bool {
	ok := true
	ast.Inspect(n, func(n ast.Node) bool {
		call, is := n.(*ast.CallExpr)
		if !is {
			return ok
		}
		switch f := call.Fun.(type) {
		case *ast.Ident:
			ok = ok && (f.Name == "close" || f.Name == "cancel")
		case *ast.SelectorExpr:
			x, _ := f.X.(*ast.Ident)
			std := x != nil && (x.Name == "fmt" || x.Name == "os")
			ok = ok && (std || f.Sel.Name == "Wait" || f.Sel.Name == "Done")
		}
		return ok
	})
	return ok
}
