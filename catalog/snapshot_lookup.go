package catalog

import (
	"slices"
	"sync"
)

// lookups finds relations by what few statements ask for. Each map is made when it is first
// asked for, in time that grows with the catalog.
type lookups struct {
	indexesOnce, namesOnce sync.Once

	indexes map[uint32]*Table     // by the OIDs of their indexes, of whatever state
	names   map[string][]Relation // public ones, by their names and those of their indexes
}

// IndexByID finds an index by its OID, and its table; nil if there is none.
func (s *Snapshot) IndexByID(id uint32) (*Table, *Index) {
	s.found.indexesOnce.Do(func() {
		s.found.indexes = map[uint32]*Table{}
		for _, o := range s.objects.All() {
			if t, ok := o.Desc.(*Table); ok {
				for i := range t.Indexes {
					s.found.indexes[t.Indexes[i].ID] = t
				}
			}
		}
	})
	if t := s.found.indexes[id]; t != nil {
		return t, t.IndexByID(id)
	}
	return nil, nil
}

// Named lists the relations of users of all schemas that have a name, or an index of this
// name, by schema and name. The caller must not change the list.
func (s *Snapshot) Named(name string) []Relation {
	s.found.namesOnce.Do(func() {
		names := make(map[string][]Relation, len(s.rels))
		add := func(name string, r Relation) {
			if list := names[name]; len(list) == 0 || list[len(list)-1] != r {
				names[name] = append(list, r)
			}
		}
		for _, r := range s.rels {
			add(r.RelName(), r)
			if t, ok := r.(*Table); ok {
				add(t.PrimaryKeyName, r)
				for i := range t.Indexes {
					add(t.Indexes[i].Name, r)
				}
			}
		}
		s.found.names = names
	})
	return s.found.names[name]
}

// KeyNamed finds the table whose primary key has that name; nil if there is none.
func (s *Snapshot) KeyNamed(n Name) *Table {
	for _, t := range s.Tables() {
		if t.HiddenKey() == nil && t.PrimaryKeyName == n.Name && (n.Schema == t.Schema || n.Schema == "" && slices.Contains(n.SearchPath(), t.Schema)) {
			return t
		}
	}
	return nil
}
