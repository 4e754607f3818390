package marker_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// TestRoundTrip encodes, through the translator, every construct that has a
// marker, and shows what comes out: the fields that are set, and @ the position.
func TestRoundTrip(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			switch d.Cmd {
			case "expr":
				e, err := dialect.ParseExpr(d.Input)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				return show(reflect.ValueOf(e.Node)) + "\n"
			case "statement":
				stmts, err := dialect.Parse(d.Input)
				if err != nil {
					d.Fatalf(t, "%v", err)
				}
				return show(reflect.ValueOf(stmts[0].DML)) + "\n"
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	})
}

var constKinds = [...]string{"", "null", "bool", "int", "decimal", "string", "bits"}

// show prints what is set in a tree.
func show(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Interface:
		if v.IsNil() {
			return "nil"
		}
		return show(v.Elem())
	case reflect.Pointer:
		switch x := v.Interface().(type) {
		case *tree.TypeName:
			return fmt.Sprintf("%s@%d", x, x.Pos)
		case *tree.Const:
			return fmt.Sprintf("%s:%s@%d", constKinds[x.Kind], x.Text, x.Pos)
		case *tree.Param:
			return fmt.Sprintf("$%d@%d", x.Number, x.Pos)
		case *tree.ColumnRef:
			return fmt.Sprintf("%s@%d", strings.TrimLeft(x.Schema+"."+x.Table+"."+x.Name, "."), x.Pos)
		}
		return show(v.Elem())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = show(v.Index(i))
		}
		return "[" + strings.Join(items, " ") + "]"
	case reflect.Struct:
		pos, f := "", []string(nil)
		for i := range v.NumField() {
			sf := v.Type().Field(i)
			switch x := v.Field(i); {
			case sf.Name == "Pos":
				pos = fmt.Sprintf("@%d", x.Int())
			case x.IsZero():
			case x.Kind() == reflect.Bool:
				f = append(f, sf.Name)
			default:
				f = append(f, sf.Name+"="+show(x))
			}
		}
		return v.Type().Name() + pos + "{" + strings.Join(f, " ") + "}"
	}
	return fmt.Sprint(v)
}

// TestNotMarkers gives the decoder names that look like markers.
func TestNotMarkers(t *testing.T) {
	for _, sql := range []string{`"␀op".x(1)`, `"op".x(1)`, `"\0op".x(1)`, `_(1)`, `f("␀star")`} {
		e, err := dialect.ParseExpr(sql)
		if err != nil {
			t.Fatalf("%s: %v", sql, err)
		}
		if c, ok := e.Node.(*tree.Func); !ok || len(c.Args) != 1 {
			t.Errorf("%s is taken for a marker: %+v", sql, e.Node)
		}
	}
}
