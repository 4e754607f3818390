package tree

import "reflect"

// EqualExpr says that two expressions are written alike, wherever they stand.
func EqualExpr(a, b Expr) bool { return alike(reflect.ValueOf(&a).Elem(), reflect.ValueOf(&b).Elem()) }

// alike compares two values of one type, but for the positions in them.
func alike(a, b reflect.Value) bool {
	switch a.Kind() {
	case reflect.Interface, reflect.Pointer:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		a, b = a.Elem(), b.Elem()
		return a.Type() == b.Type() && alike(a, b)
	case reflect.Slice:
		if a.Len() != b.Len() || a.IsNil() != b.IsNil() {
			return false
		}
		for i := range a.Len() {
			if !alike(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			if a.Type().Field(i).Name != "Pos" && !alike(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Comparable() && a.Equal(b)
}
