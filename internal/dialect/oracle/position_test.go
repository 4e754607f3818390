package oracle

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	pgquery "github.com/wasilibs/go-pgquery"

	"github.com/saltsql/saltsql/internal/dialect"
	"github.com/saltsql/saltsql/internal/dialect/tree"
)

// located are the positions of one statement's nodes, by kind of PostgreSQL's
// node. Positions are byte offsets.
type located map[string]map[int]bool

func (l located) add(kind string, at int) {
	if l[kind] == nil {
		l[kind] = map[int]bool{}
	}
	l[kind][at] = true
}

// pgLocations collects the nodes that errors point at.
func pgLocations(l located, v any) {
	switch x := v.(type) {
	case []any:
		for _, e := range x {
			pgLocations(l, e)
		}
	case map[string]any:
		for k, e := range x {
			m, ok := e.(map[string]any)
			if ok {
				at := 0
				if f, ok := m["location"].(float64); ok {
					at = int(f)
				}
				if at < 0 {
					k = "" // made by the grammar
				}
				switch k {
				case "ColumnRef":
					if !hasStar(m) {
						l.add(k, at)
					}
				case "ParamRef", "TypeCast":
					l.add(k, at)
				case "FuncCall":
					if m["funcformat"] == "COERCE_EXPLICIT_CALL" && !strings.Contains(fmt.Sprint(m["funcname"]), "_escape") {
						l.add(k, at)
					}
				case "A_Expr":
					if m["kind"] == "AEXPR_OP" {
						l.add(k, at)
					}
				}
			}
			pgLocations(l, e)
		}
	}
}

func hasStar(m map[string]any) bool {
	fields, _ := m["fields"].([]any)
	for _, f := range fields {
		if _, ok := f.(map[string]any)["A_Star"]; ok {
			return true
		}
	}
	return false
}

// ourLocations collects the same from our tree.
func ourLocations(l located, v reflect.Value) {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		if v.IsNil() {
			return
		}
		kind := ""
		switch x := v.Interface().(type) {
		case *tree.ColumnRef:
			kind = "ColumnRef"
		case *tree.Param:
			kind = "ParamRef"
		case *tree.Const:
			if x.Kind == tree.Bool { // a cast in PostgreSQL's tree
				kind = "TypeCast"
			}
		case *tree.Op:
			kind = "A_Expr"
		case *tree.Func:
			kind = "FuncCall"
		case *tree.Cast:
			kind = "TypeCast"
		}
		if e, ok := v.Interface().(tree.Expr); ok && kind != "" {
			l.add(kind, e.Position()-1)
		}
		ourLocations(l, v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			ourLocations(l, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			ourLocations(l, v.Field(i))
		}
	}
}

// comparePositions gives the first place PostgreSQL knows and we do not.
func comparePositions(t *testing.T, sql string) {
	for i := 0; i < len(sql); i++ {
		if sql[i] >= 0x80 {
			return // PostgreSQL's tree counts bytes
		}
	}
	text, err := pgquery.ParseToJSON(sql)
	if err != nil {
		return
	}
	stmts, err := dialect.Parse(sql)
	if err != nil || len(stmts) != 1 || stmts[0].DML == nil {
		return
	}
	var theirs any
	if err := json.Unmarshal([]byte(text), &theirs); err != nil {
		t.Fatal(err)
	}
	want, got := located{}, located{}
	pgLocations(want, theirs)
	ourLocations(got, reflect.ValueOf(stmts[0].DML))
	for kind, places := range want {
		for at := range places {
			if !got[kind][at] {
				t.Errorf("%s at %d is not ours\n  %s", kind, at, sql)
				return
			}
		}
	}
}

// TestPositions checks that what PostgreSQL points at, we can point at.
func TestPositions(t *testing.T) {
	files, _ := filepath.Glob("testdata/*.sql")
	more, _ := filepath.Glob("../testdata/corpus/pg_*.sql")
	for _, f := range append(files, more...) {
		text, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, sql := range statements(t, string(text)) {
			comparePositions(t, sql)
		}
	}
	s := first(t)
	g := &generator{Rand: rand.New(rand.NewPCG(s, 1))}
	for i := 0; i < *rounds && !t.Failed(); i++ {
		comparePositions(t, g.statement())
	}
}
