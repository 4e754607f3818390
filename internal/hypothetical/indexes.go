package hypothetical

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Indexes are those of a session, in the order they were made. They are not safe for concurrent
// use.
type Indexes struct{ list []index }

type index struct {
	catalog.Index
	table   uint32
	columns map[int]string // their types, by the IDs of those it is made of
}

// Add notes an index of t and gives its name, chosen where it has none: 42P07 where the schema
// has something of that name, 54000 for too many. taken says which names the schema has.
func (x *Indexes) Add(s *catalog.Snapshot, t *catalog.Table, ix catalog.Index, pos int) (name string, err error) {
	if len(x.list) == catalog.MaxHypothetical {
		return "", sqlerr.New(sqlerr.ProgramLimitExceeded, "a session has at most %d hypothetical indexes", catalog.MaxHypothetical).
			WithHint("DROP INDEX forgets one, and DISCARD ALL all of them.")
	}
	taken := func(name string) bool {
		_, is := s.TakenBy(t.Schema, name)
		return is || x.find(s, t.Schema, name) >= 0
	}
	if ix.Name == "" {
		ix.Name = ix.ChooseName(t, taken)
	}
	if err := catalog.CheckIdentifier("index", ix.Name, pos); err != nil {
		return "", err
	}
	if taken(ix.Name) || t.PrimaryKeyName == ix.Name {
		return "", catalog.DuplicateIndex(ix.Name)
	}
	ix.ID = x.freeID()
	if _, err := t.Suppose([]catalog.Index{ix}); err != nil {
		return "", catalog.Positioned(err, pos)
	}
	n := index{ix, t.ID, map[int]string{}}
	for i := range t.Columns {
		if c := &t.Columns[i]; ix.Uses(c.ID) {
			n.columns[c.ID] = c.Type.String()
		}
	}
	x.list = append(x.list, n)
	return ix.Name, nil
}

func (x *Indexes) freeID() uint32 {
	for n := 0; ; n++ {
		id := catalog.HypotheticalID(n)
		if !slices.ContainsFunc(x.list, func(ix index) bool { return ix.ID == id }) {
			return id
		}
	}
}

// find gives the place of the index that a schema has by a name; -1 for none.
func (x *Indexes) find(s *catalog.Snapshot, schema, name string) int {
	return slices.IndexFunc(x.list, func(ix index) bool {
		t := s.TableByID(ix.table)
		return ix.Name == name && t != nil && t.Schema == schema
	})
}

// Named says whether a name as written, looked for in the schemas of path where it has none, is
// a hypothetical index's.
func (x *Indexes) Named(s *catalog.Snapshot, path []string, schema, name string) bool {
	return x.lookup(s, path, schema, name) >= 0
}

func (x *Indexes) lookup(s *catalog.Snapshot, path []string, schema, name string) int {
	if schema != "" {
		path = []string{schema}
	}
	for _, p := range path {
		if n := x.find(s, p, name); n >= 0 {
			return n
		}
	}
	return -1
}

// Drop forgets the index of a name; see Named.
func (x *Indexes) Drop(s *catalog.Snapshot, path []string, schema, name string) {
	if n := x.lookup(s, path, schema, name); n >= 0 {
		x.list = slices.Delete(x.list, n, n+1)
	}
}

// Clear forgets all.
func (x *Indexes) Clear() { x.list = nil }

// Tables gives the tables of s that have hypothetical indexes, with them. An index whose table is
// gone, or has other columns than it is made of, is forgotten.
func (x *Indexes) Tables(s *catalog.Snapshot) []*catalog.Table {
	x.list = slices.DeleteFunc(x.list, func(ix index) bool { return !ix.fits(s.TableByID(ix.table)) })
	var tables []*catalog.Table
	for i := range x.list {
		id := x.list[i].table
		if slices.ContainsFunc(tables, func(t *catalog.Table) bool { return t.ID == id }) {
			continue
		}
		var own []catalog.Index
		for k := range x.list {
			if x.list[k].table == id {
				own = append(own, x.list[k].Index)
			}
		}
		if t, err := s.TableByID(id).Suppose(own); err == nil {
			tables = append(tables, t)
		}
	}
	return tables
}

func (ix *index) fits(t *catalog.Table) bool {
	if t == nil {
		return false
	}
	for id, was := range ix.columns {
		if c := t.ColumnByID(id); c == nil || c.Type.String() != was {
			return false
		}
	}
	return true
}
