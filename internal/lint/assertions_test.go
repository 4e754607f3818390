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

// TestStorageIsExplicit asserts that nobody outside of storage's tree asks by a type assertion whether
// a store, a table or a scanner can do more than its interface says: a wrapper may hide it. What not
// all can do is a method that the others refuse, and a field of storage.Caps; what an adapter does
// beside the contract is asked of its own type.
func TestStorageIsExplicit(t *testing.T) {
	interfaces := map[string]bool{} // pkg.Name
	type found struct{ at, name string }
	var asserted []found
	read := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel("../..", path)
		rel = filepath.ToSlash(rel)
		if d.IsDir() && rel != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasGoMod(path)) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		read++
		inside := within(rel, "storage")
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if i, ok := n.Type.(*ast.InterfaceType); ok && (inside || embedsStorage(i)) {
					interfaces[f.Name.Name+"."+n.Name.Name] = true
				}
			case *ast.TypeAssertExpr:
				if !inside && n.Type != nil {
					asserted = append(asserted, found{fset.Position(n.Pos()).String(), typeName(f.Name.Name, n.Type)})
				}
			case *ast.TypeSwitchStmt:
				for _, c := range n.Body.List {
					for _, x := range c.(*ast.CaseClause).List {
						if !inside {
							asserted = append(asserted, found{fset.Position(x.Pos()).String(), typeName(f.Name.Name, x)})
						}
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil || read < 500 || !interfaces["storage.Table"] || len(asserted) < 100 {
		t.Fatal(read, len(interfaces), len(asserted), err)
	}
	for _, a := range asserted {
		if interfaces[a.name] {
			t.Errorf("%s: %s is asked for by a type assertion: make it a method of the contract", a.at, a.name)
		}
	}
}

// typeName is a type's name with its package; "" is one without.
func typeName(pkg string, x ast.Expr) string {
	switch x := x.(type) {
	case *ast.Ident:
		return pkg + "." + x.Name
	case *ast.SelectorExpr:
		if p, ok := x.X.(*ast.Ident); ok {
			return p.Name + "." + x.Sel.Name
		}
	}
	return ""
}

// embedsStorage says that an interface is one of package storage or txn, and more.
func embedsStorage(i *ast.InterfaceType) bool {
	for _, m := range i.Methods.List {
		if s, ok := m.Type.(*ast.SelectorExpr); ok && len(m.Names) == 0 {
			if p, ok := s.X.(*ast.Ident); ok && (p.Name == "storage" || p.Name == "txn") {
				return true
			}
		}
	}
	return false
}
