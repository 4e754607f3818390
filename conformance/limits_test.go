package conformance

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// limitMark stands above a constant that users meet: "//saltsql:limit KIND: what it bounds".
const limitMark = "//saltsql:limit "

// limit is a constant that is marked.
type limit struct{ name, kind, text, value string }

// limitStates are the errors that a limit ends with.
var limitStates = []string{"ProgramLimitExceeded", "StatementTooComplex", "TooManyColumns", "TooManyArguments", "NameTooLong", "TooManyConnections"}

// noLimit are files that give such an error where no constant is the bound, and why.
var noLimit = map[string]string{
	"exec/op/errors.go":             "it tells of the store's limits",
	"exec/op/governor.go":           "saltsql.max_scan_rows is the bound",
	"internal/session/governor.go":  "a setting is the bound",
	"internal/session/identity.go":  "the role's CONNECTION LIMIT is the bound",
	"internal/session/prepare.go":   "statements that run one another without end",
	"catalog/pgcatalog/names.go":    "operators have two arguments",
	"catalog/rowcodec/qualifier.go": "COLUMN_ENCODED_BYTES is the bound",
	"catalog/rowcodec/packed.go":    "the format's offsets: beyond the bytes of a value",
	"catalog/rowcodec/array.go":     "the format's offsets: beyond the bytes of a value",
	"catalog/change/change.go":      "object IDs have 32 bits",
}

// limits reads the marked constants of all packages.
func limits(t *testing.T) (list []limit) {
	t.Helper()
	marked, uses := map[string]bool{}, map[string]map[string]bool{} // by file: the names in it
	raises, aliases := map[string]bool{}, map[string][]string{}
	eachSource(t, func(path string, fset *token.FileSet, f *ast.File) {
		uses[path] = map[string]bool{}
		marks := map[*ast.CommentGroup]bool{}
		take := func(doc *ast.CommentGroup, spec *ast.ValueSpec) {
			if doc == nil {
				return
			}
			for _, c := range doc.List {
				text, ok := strings.CutPrefix(c.Text, limitMark)
				if !ok {
					continue
				}
				marks[doc] = true
				kind, text, ok := strings.Cut(text, ": ")
				if !ok || len(spec.Values) != 1 {
					t.Errorf("%s: %s is no constant with a kind", path, c.Text)
					continue
				}
				v, err := types.Eval(fset, nil, token.NoPos, types.ExprString(spec.Values[0]))
				if err != nil || v.Value == nil {
					t.Errorf("%s: %s: %v", path, spec.Names[0].Name, err)
					continue
				}
				marked[spec.Names[0].Name] = true
				list = append(list, limit{spec.Names[0].Name, kind, text, limitText(v.Value, text)})
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.GenDecl:
				for _, s := range n.Specs {
					if spec, ok := s.(*ast.ValueSpec); ok && n.Tok == token.CONST {
						if len(spec.Values) == 1 {
							if of, ok := spec.Values[0].(*ast.SelectorExpr); ok {
								aliases[spec.Names[0].Name] = append(aliases[spec.Names[0].Name], of.Sel.Name)
							}
						}
						if take(spec.Doc, spec); !n.Lparen.IsValid() {
							take(n.Doc, spec)
						}
					}
				}
			case *ast.Ident:
				uses[path][n.Name] = true
			case *ast.CallExpr:
				fun, ok := n.Fun.(*ast.SelectorExpr)
				if !ok || len(n.Args) == 0 || fun.Sel.Name != "New" && fun.Sel.Name != "Notice" {
					return true
				}
				if code, ok := n.Args[0].(*ast.SelectorExpr); ok && slices.Contains(limitStates, code.Sel.Name) {
					raises[path] = true
				}
			}
			return true
		})
		for _, g := range f.Comments {
			if !marks[g] && strings.Contains("\n"+groupText(g), "\n"+limitMark) {
				t.Errorf("%s: %s does not stand above a constant", path, groupText(g))
			}
		}
	})
	if len(list) < 40 || len(raises) < 20 {
		t.Fatalf("there are %d limits and %d files that hold them", len(list), len(raises))
	}
	for more := true; more; { // a constant that is another's
		more = false
		for name, of := range aliases {
			if !marked[name] && slices.ContainsFunc(of, func(o string) bool { return marked[o] }) {
				marked[name], more = true, true
			}
		}
	}
	for path := range raises {
		knows := false
		for name := range marked {
			knows = knows || uses[path][name]
		}
		if why := noLimit[path]; knows == (why != "") {
			t.Errorf("%s: a limit ends with an error there, and it names a marked constant: %t; noLimit says %q", path, knows, why)
		}
	}
	for path := range noLimit {
		if !raises[path] {
			t.Errorf("%s: noLimit names it, and no limit ends with an error there", path)
		}
	}
	kinds := []string{"names", "tables", "rows", "types", "statements", "connections"}
	slices.SortStableFunc(list, func(a, b limit) int {
		return cmp.Or(cmp.Compare(slices.Index(kinds, a.kind), slices.Index(kinds, b.kind)), strings.Compare(a.text, b.text))
	})
	return list
}

func groupText(g *ast.CommentGroup) string {
	var lines []string
	for _, c := range g.List {
		lines = append(lines, c.Text)
	}
	return strings.Join(lines, "\n")
}

// limitText writes a number with its thousands apart, and many bytes in MB.
func limitText(v constant.Value, of string) string {
	n, _ := constant.Int64Val(v)
	if strings.HasPrefix(of, "bytes") && n >= 1<<20 {
		if n%(1<<20) == 0 {
			return fmt.Sprintf("%d MB", n>>20)
		} else if (n+1)%(1<<30) == 0 {
			return fmt.Sprintf("%d GB - 1", (n+1)>>30)
		}
	}
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
