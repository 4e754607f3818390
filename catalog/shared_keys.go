package catalog

import (
	"cmp"
	"maps"
	"slices"
)

// take notes in taken the names of an object, and in s those that another has too.
func (s *Snapshot) take(taken map[RelName]uint32, id uint32, o Object) {
	isKey := func(id uint32, name RelName) bool {
		o, _ := s.objects.Get(id)
		t, ok := o.Desc.(*Table)
		return ok && t.PrimaryKeyName == name.Name
	}
	for _, name := range takes(o) {
		if by, ok := taken[name]; ok && by != id {
			if s.shared == nil {
				s.shared = map[RelName]bool{}
			}
			s.shared[name] = true
			// What is found by this name alone goes first, then the older key.
			if isKey(id, name) && (!isKey(by, name) || by < id) {
				continue
			}
		}
		taken[name] = id
	}
}

// SharedKeys lists the names of primary keys that another relation of the schema has too, in
// order. No statement gives a key such a name; a catalog that an older version wrote may have
// some. They work, but a dump cannot be restored until all but one are renamed.
func (s *Snapshot) SharedKeys() []RelName {
	return slices.SortedFunc(maps.Keys(s.shared), func(a, b RelName) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name))
	})
}
