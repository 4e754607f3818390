package settings

import (
	"iter"
	"maps"
)

// Values are a session's parameters that are not at their defaults, by their names in
// lower case. The zero value has none. It is not safe for concurrent use.
type Values struct {
	now   Mark
	kept  bool // maps of now belong to a Mark, too, and are not changed
	bytes int64
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
	v.own()
	v.put(&v.now.session, name, value)
	delete(v.now.local, name)
}

// SetLocal gives a parameter a value until the transaction ends, either way.
func (v *Values) SetLocal(name, value string) {
	v.own()
	v.put(&v.now.local, name, value)
}

func (v *Values) put(m *map[string]string, name, value string) {
	if *m == nil {
		*m = map[string]string{}
	}
	v.bytes += Bytes(name, value)
	(*m)[name] = value
}

// own makes maps of its own, which may be changed.
func (v *Values) own() {
	if !v.kept {
		return
	}
	v.kept = false
	v.now.session, v.now.local = maps.Clone(v.now.session), maps.Clone(v.now.local)
	v.bytes += entryBytes * int64(len(v.now.session)+len(v.now.local))
}

// entryBytes is what a map takes for a value, beside its texts.
const entryBytes = 64

// Bytes is what keeping a value takes.
func Bytes(name, value string) int64 { return entryBytes + int64(len(name)+len(value)) }

// Bytes is about what the values of now take, with those that the transaction may bring back.
func (v *Values) Bytes() int64 { return v.bytes }

// count sets Bytes to what the values of now take.
func (v *Values) count() {
	v.bytes = 0
	for name := range v.known {
		v.bytes += Bytes(name, "")
	}
	for _, m := range []map[string]string{v.now.session, v.now.local} {
		for name, value := range m {
			v.bytes += Bytes(name, value)
		}
	}
}

// Know notes a parameter without a definition. As in PostgreSQL it outlives the
// transaction: it is there, and empty, where its value is not.
func (v *Values) Know(name string) {
	if v.known == nil {
		v.known = map[string]struct{}{}
	}
	if _, ok := v.known[name]; !ok {
		v.bytes += Bytes(name, "")
		v.known[name] = struct{}{}
	}
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
	m := v.Mark()
	v.start = &m
}

// InTransaction says that a transaction was begun and not ended.
func (v *Values) InTransaction() bool { return v.start != nil }

// End ends the transaction, if there is one, and the values of SET LOCAL with it.
func (v *Values) End(committed bool) {
	if !committed && v.start != nil {
		v.now = *v.start
	}
	v.now.local, v.start, v.kept = nil, nil, true
	v.count()
}

// Mark gives the values of now, for a savepoint.
func (v *Values) Mark() Mark {
	v.kept = true
	return v.now
}

// RollbackTo brings back the values of a savepoint.
func (v *Values) RollbackTo(m Mark) { v.now, v.kept = m, true }
