package marker_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/pingcap/tidb/pkg/parser/ast"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/literal"
	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/typename"
)

// TestRoundTrip encodes, through the translator, every construct that has a
// marker, and shows what the binder is given.
func TestRoundTrip(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "expr":
				e, err := dialect.ParseExpr(d.Input)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				return show(e.Node) + "\n"
			case "view":
				stmts, err := dialect.Parse(d.Input)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				return view(stmts[0].AST) + "\n"
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

func view(n ast.Node) string {
	switch x := n.(type) {
	case *ast.InsertStmt:
		return fields(reflect.ValueOf(marker.Insert(x)))
	case *ast.UpdateStmt:
		return fields(reflect.ValueOf(marker.Update(x)))
	case *ast.DeleteStmt:
		return fields(reflect.ValueOf(marker.Delete(x)))
	}
	return query(n)
}

func query(n ast.Node) string {
	q := marker.DecodeQuery(n)
	s := fields(reflect.ValueOf(q))
	if o := fields(reflect.ValueOf(q.Outer())); o != "Outer{}" {
		s += o
	}
	return s
}

// fields prints what is set in a view; nodes themselves are left out.
func fields(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		switch x := v.Interface().(type) {
		case ast.ExprNode:
			return show(x)
		case ast.ResultSetNode:
			return query(x)
		}
		return fields(v.Elem())
	case reflect.Pointer:
		if x, ok := v.Interface().(*typename.TypeName); ok {
			return x.String()
		}
		return fields(v.Elem())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = fields(v.Index(i))
		}
		return "[" + strings.Join(items, " ") + "]"
	case reflect.Struct:
		var f []string
		for i := 0; i < v.NumField(); i++ {
			sf := v.Type().Field(i)
			if sf.Name == "Node" || !sf.IsExported() || v.Field(i).IsZero() {
				continue
			}
			if v.Field(i).Kind() == reflect.Bool {
				f = append(f, sf.Name)
			} else {
				f = append(f, sf.Name+"="+fields(v.Field(i)))
			}
		}
		return v.Type().Name() + "{" + strings.Join(f, " ") + "}"
	}
	return fmt.Sprint(v.Interface())
}

func show(e ast.ExprNode) string {
	if v, ok := marker.Const(e); ok {
		return fmt.Sprintf("const:%d:%s", v.Kind, v.Text)
	}
	if c, ok := marker.Decode(e); ok {
		c.Node = nil
		kind := [...]string{"", "Func", "Op", "Cast", "Any", "All", "Array", "ArrayQuery", "Subscript", "Slice", "Field", "FieldStar", "WholeRow", "Row", "Collate", "Keyword", "Special"}[c.Kind]
		c.Kind = 0
		return kind + strings.TrimPrefix(fields(reflect.ValueOf(c)), "Call")
	}
	switch n := marker.Unparen(e).(type) {
	case nil:
		return "nil"
	case *literal.Param:
		return "param"
	case *ast.ColumnNameExpr:
		return n.Name.String()
	case *ast.SubqueryExpr:
		return "(" + query(n.Query) + ")"
	case *ast.BinaryOperationExpr:
		return fmt.Sprintf("(%s %s %s)", show(n.L), n.Op.String(), show(n.R))
	case *ast.UnaryOperationExpr:
		return fmt.Sprintf("(%s %s)", n.Op.String(), show(n.V))
	case *ast.DefaultExpr:
		return "DEFAULT"
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", marker.Unparen(e)), "*ast.")
}

// TestNotMarkers gives the decoders names that look like theirs.
func TestNotMarkers(t *testing.T) {
	for _, sql := range []string{`"␀op".x(1)`, `"op".x(1)`, `"\0op".x(1)`, `_(1)`, `"␀"`, `f("␀star")`} {
		e, err := dialect.ParseExpr(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if c, ok := marker.Decode(e.Node); ok && c.Kind != marker.Func {
			t.Errorf("%s is taken for a marker: %+v", sql, c)
		}
	}
}
