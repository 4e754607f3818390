package settings

import (
	"iter"
	"maps"
)

// Values are a session's parameters that are not at their defaults, by their names in
// lower case. The zero value has none. It is not safe for concurrent use.
type Values struct {
	now   Mark
	start *Mark               // at the start of the transaction; nil outside
	known map[string]struct{} // names that nobody defined and somebody has set
}

// Mark is the values of one moment. Its maps never change.
type Mark struct{ session, local map[string]string }

// Get gives a parameter's value; ok is false where it has its default.
func (v *Values) Get(name string) (value string, ok bool) {
	return v.now.Get(name)
}

// Get is Values.Get as of then.
func (m *Mark) Get(name string) (value string, ok bool) {
	if value, ok = m.local[name]; ok {
		return value, true
	}
	value, ok = m.session[name]
	return value, ok
}

// Same says that the values of two moments are alike.
func (m Mark) Same(other Mark) bool {
	return maps.Equal(m.session, other.session) && maps.Equal(m.local, other.local)
}

// Set gives a parameter a value that lasts if the transaction commits.
func (v *Values) Set(name, value string) {
	v.now.session = with(v.now.session, name, value)
	if _, covered := v.now.local[name]; covered {
		v.now.local = maps.Clone(v.now.local)
		delete(v.now.local, name)
	}
}

// SetLocal gives a parameter a value until the transaction ends, either way.
func (v *Values) SetLocal(name, value string) {
	v.now.local = with(v.now.local, name, value)
}

func with(m map[string]string, name, value string) map[string]string {
	out := make(map[string]string, len(m)+1)
	maps.Copy(out, m)
	out[name] = value
	return out
}

// Know notes a parameter without a definition. As in PostgreSQL it outlives the
// transaction: it is there, and empty, where its value is not.
func (v *Values) Know(name string) {
	if v.known == nil {
		v.known = map[string]struct{}{}
	}
	v.known[name] = struct{}{}
}

// Known says that Know was called.
func (v *Values) Known(name string) bool {
	_, ok := v.known[name]
	return ok
}

// Names lists the parameters that are not at their defaults, in no order.
func (v *Values) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range v.now.session {
			if !yield(name) {
				return
			}
		}
		for name := range v.now.local {
			if _, both := v.now.session[name]; !both && !yield(name) {
				return
			}
		}
	}
}

// Begin starts a transaction.
func (v *Values) Begin() {
	m := v.now
	v.start = &m
}

// InTransaction says that a transaction was begun and not ended.
func (v *Values) InTransaction() bool { return v.start != nil }

// End ends the transaction, if there is one, and the values of SET LOCAL with it.
func (v *Values) End(committed bool) {
	if !committed && v.start != nil {
		v.now = *v.start
	}
	v.now.local, v.start = nil, nil
}

// Mark gives the values of now, for a savepoint.
func (v *Values) Mark() Mark { return v.now }

// RollbackTo brings back the values of a savepoint.
func (v *Values) RollbackTo(m Mark) { v.now = m }
