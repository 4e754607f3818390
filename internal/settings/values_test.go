package settings

import "testing"

func TestValues(t *testing.T) {
	var v Values
	is := func(want string) {
		t.Helper()
		if got, _ := v.Get("a"); got != want {
			t.Errorf("a is %q, want %q", got, want)
		}
	}
	is("")
	v.Begin()
	v.Set("a", "1")
	v.SetLocal("a", "2")
	m := v.Mark()
	is("2")
	v.Set("a", "3")
	is("3")
	v.RollbackTo(m)
	is("2")
	v.End(true)
	is("1")

	v.Begin()
	v.SetLocal("a", "2")
	v.Set("a", "3")
	v.End(true)
	is("3")

	v.Begin()
	v.Set("a", "4")
	v.SetLocal("b", "5")
	names := map[string]bool{}
	for n := range v.Names() {
		names[n] = true
	}
	if len(names) != 2 {
		t.Errorf("names %v", names)
	}
	v.End(false)
	is("3")
	if _, ok := v.Get("b"); ok || v.InTransaction() {
		t.Error("b outlives its transaction")
	}
	if v.Know("c"); !v.Known("c") || v.Known("a") {
		t.Error("known names")
	}
}
