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

// TestProcessesOfTestsEndWithThem asserts that what tests run starts processes only by
// childproc.Command: others outlive a test's process that dies.
func TestProcessesOfTestsEndWithThem(t *testing.T) {
	seen := 0
	err := filepath.WalkDir("../..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		dir, _ := filepath.Rel("../..", filepath.Dir(path))
		dir = filepath.ToSlash(dir)
		if d.IsDir() && path != "../.." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasGoMod(path)) {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") || dir == "internal/childproc" || !strings.HasSuffix(path, "_test.go") && !isTestSupport(dir) {
			return nil
		}
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			return err
		}
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			pkg, ok := s.X.(*ast.Ident)
			if !ok {
				return true
			}
			switch pkg.Name + "." + s.Sel.Name {
			case "childproc.Command":
				seen++
			case "exec.Command", "exec.CommandContext", "os.StartProcess", "syscall.ForkExec":
				t.Errorf("%s: %s.%s: a test starts processes by childproc.Command", fset.Position(n.Pos()), pkg.Name, s.Sel.Name)
			}
			return true
		})
		return nil
	})
	if err != nil || seen < 20 {
		t.Fatal(seen, err)
	}
}
