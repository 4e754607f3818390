package walk

import (
	"fmt"
	"reflect"
	"slices"
	"testing"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/planner/plan"
	"github.com/saltsql/saltsql/planner/plan/plantest"
)

// TestRewritesKnowEveryNode holds that the walks by which rules change a plan have a case for
// each node: for one without, a change below it or in it would be lost without a word.
func TestRewritesKnowEveryNode(t *testing.T) {
	for _, n := range plantest.Nodes(t) {
		t.Run(reflect.TypeOf(n).Elem().Name(), func(t *testing.T) {
			var ins []plan.Node
			for range n.Inputs() {
				ins = append(ins, &plan.OneRow{})
			}
			if got := WithInputs(n, ins); !slices.Equal(got.Inputs(), ins) && !fixedRight(n) {
				t.Errorf("WithInputs does not set its inputs")
			}

			copied := reflect.New(reflect.TypeOf(n).Elem())
			copied.Elem().Set(reflect.ValueOf(n).Elem())
			m := &marks{where: map[expr.Expr]string{}}
			if merge, ok := copied.Interface().(*plan.SaltMerge); ok {
				merge.Input = &plan.OneRow{} // above a scan, that has the order
			}
			m.fill(copied.Elem(), "")
			if len(m.where) == 0 {
				return
			}
			filled := copied.Interface().(plan.Node)
			left, replaced := m.where, map[expr.Expr]bool{}
			out := MapExprs(filled, func(e expr.Expr) expr.Expr {
				delete(left, e)
				r := &expr.Const{T: types.Of(types.Int8)}
				replaced[r] = true
				return r
			})
			for _, field := range left {
				t.Errorf("MapExprs does not see %s", field)
			}
			after := &marks{where: map[expr.Expr]string{}}
			after.collect(reflect.ValueOf(out).Elem(), "")
			for e, field := range after.where {
				if !replaced[e] {
					t.Errorf("MapExprs does not set %s", field)
				}
			}
		})
	}
}

// fixedRight says that a node runs but the first of its inputs: the other is read by key.
func fixedRight(n plan.Node) bool {
	_, ok := n.(*plan.LookupJoin)
	return ok
}

// marks fills what may hold an expression in a node, or collects it.
type marks struct {
	where map[expr.Expr]string
}

var (
	exprType = reflect.TypeFor[expr.Expr]()
	nodeType = reflect.TypeFor[plan.Node]()
	planPath = reflect.TypeFor[plan.Scan]().PkgPath()
	// Conditions of keys are made by the rules, of what is folded: who looks for parameters
	// reads them by themselves.
	keyTypes = []reflect.Type{reflect.TypeFor[plan.KeyCond](), reflect.TypeFor[plan.KeyConj]()}
)

// fill gives each expression below v one that is known again.
func (m *marks) fill(v reflect.Value, path string) {
	switch t := v.Type(); {
	case t == exprType:
		e := &expr.Const{Value: types.NewInt(int64(len(m.where))), T: types.Of(types.Int8)}
		v.Set(reflect.ValueOf(e))
		m.where[e] = path
	case t == nodeType || t.Implements(nodeType) || !holdsExprs(t, nil):
	case t.Kind() == reflect.Slice:
		v.Set(reflect.MakeSlice(t, 1, 1))
		m.fill(v.Index(0), path)
	case t.Kind() == reflect.Pointer:
		v.Set(reflect.New(t.Elem()))
		m.fill(v.Elem(), path)
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			m.fill(v.Field(i), path+"."+t.Field(i).Name)
		}
	default:
		panic(fmt.Sprintf("%s: expressions in a %s", path, t))
	}
}

// collect finds the expressions below v.
func (m *marks) collect(v reflect.Value, path string) {
	switch t := v.Type(); {
	case t == exprType:
		if !v.IsNil() {
			m.where[v.Interface().(expr.Expr)] = path
		}
	case t == nodeType || t.Implements(nodeType) || !holdsExprs(t, nil):
	case t.Kind() == reflect.Slice:
		for i := range v.Len() {
			m.collect(v.Index(i), path)
		}
	case t.Kind() == reflect.Pointer:
		if !v.IsNil() {
			m.collect(v.Elem(), path)
		}
	case t.Kind() == reflect.Struct:
		for i := range t.NumField() {
			m.collect(v.Field(i), path+"."+t.Field(i).Name)
		}
	}
}

// holdsExprs says that a type of planner/plan, or a list of one, has an expression in it.
func holdsExprs(t reflect.Type, in []reflect.Type) bool {
	if t == exprType {
		return true
	}
	if slices.Contains(in, t) || slices.Contains(keyTypes, t) {
		return false
	}
	in = append(in, t)
	switch t.Kind() {
	case reflect.Slice, reflect.Pointer:
		return holdsExprs(t.Elem(), in)
	case reflect.Struct:
		if t.PkgPath() != planPath {
			return false
		}
		for i := range t.NumField() {
			if f := t.Field(i).Type; f != nodeType && !f.Implements(nodeType) && holdsExprs(f, in) {
				return true
			}
		}
	}
	return false
}
