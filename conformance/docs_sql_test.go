package conformance

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/saltsql/saltsql/internal/dialect/utility"
)

// refusedOf says in which part of docs/sql.md the refusals of a package stand, and those of the
// packages below it.
var refusedOf = map[string]string{
	"planner": "Queries and writes", "planner/bind/viewtext": "Views", "exec": "Queries and writes",
	"internal/dialect": "Syntax",
	"catalog":          "Tables, indexes and other objects", "internal/ddl": "Tables, indexes and other objects",
	"internal/expr": "Types, functions and operators", "internal/types": "Types, functions and operators",
	"internal/copyfmt": "COPY", "internal/session": "Sessions and transactions", "internal/goapi": "Sessions and transactions", "internal/identity": "Sessions and transactions",
	"internal/maintenance": "Tables, indexes and other objects", "internal/saltadvice": "Tables, indexes and other objects",
	"internal/settings": "Sessions and transactions", "wire": "Sessions and transactions",
}

// refusedPart is the part of a package.
func refusedPart(dir string) (part string, ok bool) {
	for ; dir != "."; dir = path.Dir(dir) {
		if part, ok = refusedOf[dir]; ok {
			return part, true
		}
	}
	return "", false
}

var refusedParts = []string{"Queries and writes", "Views", "Tables, indexes and other objects", "Types, functions and operators", "COPY", "Sessions and transactions", "Syntax"}

// refusals reads the texts of all 0A000 from where they are made: what, and what to do
// instead, where that is said.
func refusals(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	eachSource(t, func(file string, _ *token.FileSet, f *ast.File) {
		dir := path.Dir(file)
		if dir == "internal/sqlerr" {
			return
		}
		add := func(what, instead ast.Expr) {
			text := messageText(what)
			if !strings.Contains(text, " ") || strings.HasPrefix(text, "… ") && strings.Count(text, " ") < 3 {
				return // said by the caller
			}
			part, ok := refusedPart(dir)
			if !ok {
				t.Errorf("%s: 0A000 of a package that docs/sql.md has no part for", file)
			}
			if instead := messageText(instead); strings.Contains(instead, " ") {
				text += ": " + instead
			}
			if !slices.Contains(out[part], text) {
				out[part] = append(out[part], text)
			}
		}
		var hint ast.Expr // of the call that is around
		ast.Inspect(f, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			switch name := calledName(call); {
			case name == "WithHint" && len(call.Args) > 0:
				hint = call.Args[0]
			case name == "unsupportedAt":
				add(call.Args[2], call.Args[1])
			case ofStore(call): // of a call that the layers above ask of no such store
			case name == "Unsupported" && len(call.Args) > 1:
				add(call.Args[len(call.Args)-2], call.Args[len(call.Args)-1])
			case name == "New" && len(call.Args) > 1:
				if code, ok := call.Args[0].(*ast.SelectorExpr); ok && code.Sel.Name == "FeatureNotSupported" {
					add(call.Args[1], hint)
				}
				hint = nil
			}
			return true
		})
	})
	for commands, instead := range utility.Refused() {
		const part = "Tables, indexes and other objects"
		out[part] = append(out[part], commands[0]+" is not supported: "+instead)
	}
	for _, list := range out {
		slices.Sort(list)
	}
	return out
}

// ofStore says that a call is storage.Unsupported(store, op, what).
func ofStore(call *ast.CallExpr) bool {
	fun, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || fun.Sel.Name != "Unsupported" {
		return false
	}
	of, ok := fun.X.(*ast.Ident)
	return ok && of.Name == "storage"
}

func calledName(call *ast.CallExpr) string {
	switch fun := call.Fun.(type) {
	case *ast.SelectorExpr:
		return fun.Sel.Name
	case *ast.Ident:
		return fun.Name
	}
	return ""
}

// messageText is a message's text with … for what is filled in; empty if it is not here.
func messageText(e ast.Expr) string {
	if call, ok := e.(*ast.CallExpr); ok && calledName(call) == "Sprintf" {
		e = call.Args[0]
	}
	if e == nil {
		return ""
	}
	text, _ := constantText(e)
	return strings.ReplaceAll(verb.ReplaceAllString(text, "…"), "%%", "%")
}

// statementForms reads from the tree what statements there are.
func statementForms(t *testing.T) []string {
	t.Helper()
	var list []string
	eachSource(t, func(file string, _ *token.FileSet, f *ast.File) {
		if path.Dir(file) != "internal/dialect/tree" {
			return
		}
		tagged := map[string]bool{}
		for _, d := range f.Decls {
			if m, ok := d.(*ast.FuncDecl); ok && m.Recv != nil && m.Name.Name == "Tag" {
				if star, ok := m.Recv.List[0].Type.(*ast.StarExpr); ok {
					tagged[star.X.(*ast.Ident).Name] = true
				}
			}
		}
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok || g.Tok != token.TYPE {
				continue
			}
			for _, s := range g.Specs {
				spec := s.(*ast.TypeSpec)
				name, doc := spec.Name.Name, spec.Doc
				if doc == nil {
					doc = g.Doc
				}
				if !tagged[name] || doc == nil || name == "Unsupported" {
					continue
				}
				text := strings.Join(strings.Fields(strings.TrimPrefix(doc.Text(), name+" is ")), " ")
				for _, end := range []string{". ", ": ", "; "} {
					text, _, _ = strings.Cut(text, end)
				}
				list = append(list, strings.TrimSuffix(text, "."))
			}
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}
