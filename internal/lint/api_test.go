package lint

import (
	"bytes"
	"fmt"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/childproc"
)

// public are the packages that programs outside of this module import.
var public = []string{
	module, module + "/wire", module + "/console", module + "/storage", module + "/storage/mem", module + "/storage/pebble", module + "/storage/pebble/backup",
	module + "/storage/bigtable", module + "/storage/fault", module + "/storage/txn", module + "/storage/storagetest",
}

// TestPublicAPI holds that nothing a program can name in a public package is, takes or
// gives a type of an internal one: it could not write that type down.
func TestPublicAPI(t *testing.T) {
	args := append([]string{"list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}"}, public...)
	var stderr bytes.Buffer
	cmd := childproc.Command("go", args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.String())
	}
	export := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, file, _ := strings.Cut(strings.TrimSpace(line), " ")
		export[path] = file
	}
	imp := importer.ForCompiler(token.NewFileSet(), "gc", func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })
	leaks := func(path string) []string {
		pkg, err := imp.Import(path)
		if err != nil {
			t.Fatal(err)
		}
		a := &apiWalk{pkg: pkg, seen: map[types.Type]bool{}}
		for _, name := range pkg.Scope().Names() {
			if obj := pkg.Scope().Lookup(name); obj.Exported() {
				a.walk(name, obj.Type())
			}
		}
		slices.Sort(a.found)
		return slices.Compact(a.found)
	}
	for _, path := range public {
		for _, leak := range leaks(path) {
			t.Error(leak)
		}
	}
	if len(leaks(module+"/catalog")) == 0 {
		t.Error("the catalog shows internal types, which are not found: the walk is broken")
	}
}

// apiWalk goes through what can be reached from a package's exported names.
type apiWalk struct {
	pkg   *types.Package
	seen  map[types.Type]bool
	found []string
}

func (a *apiWalk) walk(at string, t types.Type) {
	if t == nil || a.seen[t] {
		return
	}
	a.seen[t] = true
	switch t := t.(type) {
	case *types.Alias:
		a.named(at, t.Obj())
		a.walk(at, types.Unalias(t))
	case *types.Named:
		a.named(at, t.Obj())
		for i := range t.TypeArgs().Len() {
			a.walk(at, t.TypeArgs().At(i))
		}
		if t.Obj().Pkg() != a.pkg {
			return // another package answers for itself
		}
		for i := range t.TypeParams().Len() {
			a.walk(at, t.TypeParams().At(i).Constraint())
		}
		set := types.NewMethodSet(types.NewPointer(t))
		for i := range set.Len() {
			if m := set.At(i); m.Obj().Exported() {
				a.walk(at+"."+m.Obj().Name(), m.Type())
			}
		}
		a.walk(at, t.Underlying())
	case *types.Pointer:
		a.walk(at, t.Elem())
	case *types.Slice:
		a.walk(at, t.Elem())
	case *types.Array:
		a.walk(at, t.Elem())
	case *types.Chan:
		a.walk(at, t.Elem())
	case *types.Map:
		a.walk(at, t.Key())
		a.walk(at, t.Elem())
	case *types.Signature:
		a.walk(at, t.Params())
		a.walk(at, t.Results())
	case *types.Tuple:
		for i := range t.Len() {
			a.walk(at, t.At(i).Type())
		}
	case *types.Struct:
		for i := range t.NumFields() {
			if f := t.Field(i); f.Exported() {
				a.walk(at+"."+f.Name(), f.Type())
			}
		}
	case *types.Interface:
		for i := range t.NumMethods() {
			if m := t.Method(i); m.Exported() {
				a.walk(at+"."+m.Name(), m.Type())
			}
		}
	case *types.TypeParam:
		a.walk(at, t.Constraint())
	}
}

func (a *apiWalk) named(at string, obj *types.TypeName) {
	if p := obj.Pkg(); p != nil && strings.HasPrefix(p.Path(), module+"/internal/") {
		a.found = append(a.found, fmt.Sprintf("%s.%s uses %s.%s", a.pkg.Path(), at, strings.TrimPrefix(p.Path(), module+"/"), obj.Name()))
	}
}
