package catalog

import (
	"cmp"
	"slices"
)

// Next is NewSnapshot of objects, which are those of s after some were put and some deleted. It
// costs little more than what changed: a store of thousands of tables is made by as many changes.
func (s *Snapshot) Next(r Root, objects Layered[uint32, Object], put map[uint32]Object, del map[uint32]bool) *Snapshot {
	for id := range put {
		if !named(&s.objects, id) || !named(&objects, id) {
			return NewSnapshot(r, objects, s.Users)
		}
	}
	for id := range del {
		if !named(&s.objects, id) {
			return NewSnapshot(r, objects, s.Users)
		}
	}
	if len(s.shared) > 0 {
		return NewSnapshot(r, objects, s.Users)
	}
	n := *s
	n.found = &lookups{}
	n.version, n.Root, n.objects = r.Version, r, objects
	n.byName, n.taken, n.rels = s.byName.Copy(), s.taken.Copy(), slices.Clone(s.rels)
	for id := range del {
		n.forget(id, &s.objects)
	}
	for id := range put {
		n.forget(id, &s.objects)
	}
	for id := range put {
		o, _ := objects.Get(id)
		if !n.add(id, o) {
			return NewSnapshot(r, objects, s.Users)
		}
	}
	return &n
}

// named says that nothing but names is known of an object beside itself: there is none, or it is
// a relation without foreign keys whose storage stays where it is.
func named(objects *Layered[uint32, Object], id uint32) bool {
	o, ok := objects.Get(id)
	if !ok {
		return true
	}
	switch t := o.Desc.(type) {
	case *Type:
		return false
	case *Table:
		return len(t.ForeignKeys) == 0 && len(t.Jobs()) == 0 && len(t.Retired) == 0
	}
	_, ok = o.Desc.(Relation)
	return ok
}

// Names lists the names that an object has, and no other may have.
func (o Object) Names() []RelName { return takes(o) }

// takes lists the names that an object has, and no other may have.
func takes(o Object) []RelName {
	d, ok := o.Desc.(Relation)
	if !ok || o.State == StateDropping {
		return nil
	}
	names := []RelName{{d.RelSchema(), d.RelName()}}
	if t, ok := d.(*Table); ok {
		for name := range t.IndexNames() {
			names = append(names, RelName{t.Schema, name})
		}
	}
	return names
}

// forget takes the names of an object out.
func (s *Snapshot) forget(id uint32, was *Layered[uint32, Object]) {
	o, ok := was.Get(id)
	if !ok {
		return
	}
	for _, name := range takes(o) {
		if by, _ := s.taken.Get(name); by == id {
			s.taken.Delete(name)
		}
	}
	if o.State != StatePublic {
		return
	}
	d := o.Desc.(Relation)
	if name := (RelName{d.RelSchema(), d.RelName()}); s.Relation(name.Schema, name.Name) == d {
		s.byName.Delete(name)
	}
	if i, ok := slices.BinarySearchFunc(s.rels, d, byFullName); ok {
		s.rels = slices.Delete(s.rels, i, i+1)
	}
}

// add takes the names of an object in; false says that another has one of them: see SharedKeys.
func (s *Snapshot) add(id uint32, o Object) bool {
	for _, name := range takes(o) {
		if by, ok := s.taken.Get(name); ok && by != id {
			return false
		}
		s.taken.Set(name, id)
	}
	if o.State != StatePublic {
		return true
	}
	d := o.Desc.(Relation)
	s.byName.Set(RelName{d.RelSchema(), d.RelName()}, d)
	i, _ := slices.BinarySearchFunc(s.rels, d, byFullName)
	s.rels = slices.Insert(s.rels, i, d)
	return true
}

// byFullName orders relations by schema and name.
func byFullName(a, b Relation) int {
	return cmp.Or(cmp.Compare(a.RelSchema(), b.RelSchema()), cmp.Compare(a.RelName(), b.RelName()))
}
