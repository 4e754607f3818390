package dialect

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"github.com/saltsql/saltsql/internal/dialect/marker"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestGolden shows, by topic, what each construct is translated to. NUL is
// printed as ␀. A parameter list follows the text as params=[…]; a utility
// prints its fields that are set.
func TestGolden(t *testing.T) {
	datadriven.Walk(t, filepath.Join("testdata", "golden"), func(t *testing.T, path string) {
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			if d.Cmd != "parse" {
				d.Fatalf(t, "unknown command %s", d.Cmd)
			}
			return show(d.Input)
		})
	})
}

func show(sql string) string {
	tr := traces{}
	stmts, err := parse(sql, tr.note, nil)
	if err != nil {
		e := sqlerr.As(err)
		s := fmt.Sprintf("ERROR %s: %s", e.Code, e.Message)
		if e.Position > 0 {
			s += fmt.Sprintf(" at %d", e.Position)
		}
		if e.Hint != "" {
			s += "\nHINT: " + e.Hint
		}
		return s + "\n"
	}
	var b strings.Builder
	for _, st := range stmts {
		b.WriteString(tr.statement(st))
		b.WriteByte('\n')
	}
	return b.String()
}

// traces are the translated texts, by what was made of them: a tree.DML, or for
// SELECT of one expression that expression.
type traces map[any]string

func (tr traces) note(d tree.DML, text string, params []marker.Param) {
	text = strings.ReplaceAll(text, "\x00", "␀")
	if s, ok := d.(*tree.Select); ok && len(s.Items) == 1 && s.Items[0].Expr != nil {
		tr[s.Items[0].Expr] = strings.TrimPrefix(text, "SELECT ")
	}
	if len(params) > 0 {
		text += " params=["
		for i, p := range params {
			if i > 0 {
				text += " "
			}
			text += fmt.Sprint(p.Number)
		}
		text += "]"
	}
	tr[d] = text
}

func (tr traces) statement(st *tree.Statement) string {
	if st.Utility != nil {
		return st.Utility.Tag() + " " + tr.dump(reflect.ValueOf(st.Utility))
	}
	s := tr[st.DML]
	for _, h := range st.Side.Hints {
		s += fmt.Sprintf(" hint=%s%v", h.Name, h.Args)
	}
	for _, n := range st.Side.Notices {
		s += "\nNOTICE: " + n.Message
	}
	return s
}

// dump prints the fields that are set; positions are left out, as they have a
// test of their own.
func (tr traces) dump(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return "nil"
		}
		switch x := v.Interface().(type) {
		case *tree.Statement:
			return "«" + tr.statement(x) + "»"
		case *tree.TypeName:
			return x.String()
		}
		return tr.dump(v.Elem())
	case reflect.Interface:
		return tr.dump(v.Elem())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = tr.dump(v.Index(i))
		}
		return "[" + strings.Join(items, " ") + "]"
	case reflect.Struct:
		switch x := v.Interface().(type) {
		case tree.SourceExpr:
			return "«" + tr[x.Node] + "»"
		case tree.Name:
			if x.Schema != "" {
				return x.Schema + "." + x.Name
			}
			return x.Name
		}
		var f []string
		for i := 0; i < v.NumField(); i++ {
			name := v.Type().Field(i).Name
			if name == "Pos" || v.Field(i).IsZero() {
				continue
			}
			if v.Field(i).Kind() == reflect.Bool {
				f = append(f, name)
				continue
			}
			f = append(f, name+"="+tr.dump(v.Field(i)))
		}
		return "{" + strings.Join(f, " ") + "}"
	case reflect.String:
		return v.String()
	}
	if s, ok := v.Interface().(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprint(v.Interface())
}
