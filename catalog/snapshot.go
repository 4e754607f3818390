package catalog

import (
	"slices"
	"sort"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Snapshot is the whole catalog at one version. It never changes; a statement
// binds and plans against one.
type Snapshot struct {
	version uint64
	root    root
	objects map[uint32]object    // every descriptor, of whatever state
	schemas map[string]*Schema   // by name
	byName  map[relName]Relation // public relations only
	taken   map[relName]uint32   // public ones and those being created
	rels    []Relation           // public, by schema and name
	roles   roleSet
	// referenced are the tables that foreign keys name.
	referenced map[uint32]bool
	// reshaped are the tables with a Rewrite, or with retired storage; logs are the change
	// logs of their storage tables.
	reshaped []*Table
	logs     map[string]string
}

type relName struct{ schema, name string }

// object is a descriptor with the place it was read from.
type object struct {
	desc  descriptor
	state state
	ptr   string // "<version>/<nonce>", as the root row says
}

// newSnapshot indexes objects, which it keeps.
func newSnapshot(r root, objects map[uint32]object) *Snapshot {
	s := &Snapshot{
		version: r.Version,
		root:    r,
		objects: objects,
		schemas: make(map[string]*Schema),
		byName:  make(map[relName]Relation, len(objects)),
		taken:   make(map[relName]uint32, len(objects)),
		roles:   newRoleSet(),

		referenced: map[uint32]bool{},
	}
	for id, o := range objects {
		switch d := o.desc.(type) {
		case *Schema:
			s.schemas[d.Name] = d
		case *Role:
			s.roles.add(d)
		case Relation:
			n := relName{d.RelSchema(), d.RelName()}
			if o.state != dropping {
				s.taken[n] = id
				if t, ok := d.(*Table); ok {
					for i := range t.Indexes {
						s.taken[relName{t.Schema, t.Indexes[i].Name}] = id
					}
				}
			}
			if t, ok := d.(*Table); ok && o.state == public {
				s.reshape(t)
				for i := range t.ForeignKeys {
					s.referenced[t.ForeignKeys[i].Table] = true
				}
			}
			if o.state == public {
				s.byName[n] = d
				s.rels = append(s.rels, d)
			}
		}
	}
	sort.Slice(s.rels, func(i, j int) bool {
		a, b := s.rels[i], s.rels[j]
		if a.RelSchema() != b.RelSchema() {
			return a.RelSchema() < b.RelSchema()
		}
		return a.RelName() < b.RelName()
	})
	return s
}

// reshape notes what of a table's storage is in the making, or retired.
func (s *Snapshot) reshape(t *Table) {
	if t.Rewrite == nil && len(t.Retired) == 0 {
		return
	}
	s.reshaped = append(s.reshaped, t)
	if t.Rewrite != nil && t.Rewrite.State == RewriteCopying {
		if s.logs == nil {
			s.logs = map[string]string{}
		}
		s.logs[t.Physical] = t.Rewrite.Log
	}
}

// Referenced says that a foreign key names a table.
func (s *Snapshot) Referenced(id uint32) bool { return s.referenced[id] }

// Version grows with each change of the catalog.
func (s *Snapshot) Version() uint64 { return s.version }

// UID tells the catalog, and copies of it, from all others.
func (s *Snapshot) UID() string { return s.root.UID }

// RootKey is the row of SystemTable without which there is no catalog.
const RootKey = rootKey

// Relation finds a relation of users by its full name; nil if there is none.
func (s *Snapshot) Relation(schema, name string) Relation {
	return s.byName[relName{schema, name}]
}

// Table finds a table by its full name; nil if there is none.
func (s *Snapshot) Table(schema, name string) *Table {
	t, _ := s.byName[relName{schema, name}].(*Table)
	return t
}

// ByID finds a relation, the system's among them, by its ID; nil if there is none.
func (s *Snapshot) ByID(id uint32) Relation {
	if o, ok := s.objects[id]; ok && o.state == public {
		r, _ := o.desc.(Relation)
		return r
	}
	if v, ok := virtualsByOID[id]; ok {
		return v
	}
	return nil
}

// TableByID finds a table by its ID; nil if there is none.
func (s *Snapshot) TableByID(id uint32) *Table {
	t, _ := s.ByID(id).(*Table)
	return t
}

// IndexNamed finds an index beside primary keys, and its table; nil if there is none.
func (s *Snapshot) IndexNamed(n Name) (*Table, *Index) {
	path := n.searchPath()
	if n.Schema != "" {
		path = []string{n.Schema}
	}
	for _, schema := range path {
		t := s.TableByID(s.taken[relName{schema, n.Name}])
		if t == nil {
			continue
		}
		for i := range t.Indexes {
			if t.Indexes[i].Name == n.Name && t.Schema == schema {
				return t, &t.Indexes[i]
			}
		}
	}
	return nil, nil
}

// Relations lists tables, views and sequences by schema and name. The caller
// must not change the list.
func (s *Snapshot) Relations() []Relation { return s.rels }

// Tables lists the tables by schema and name.
func (s *Snapshot) Tables() []*Table { return ofKind[*Table](s) }

// Views lists the views by schema and name.
func (s *Snapshot) Views() []*View { return ofKind[*View](s) }

// Sequences lists the sequences by schema and name.
func (s *Snapshot) Sequences() []*Sequence { return ofKind[*Sequence](s) }

func ofKind[R Relation](s *Snapshot) []R {
	var list []R
	for _, r := range s.rels {
		if x, ok := r.(R); ok {
			list = append(list, x)
		}
	}
	return list
}

// Schemas lists the schemas of users, by name; pg_catalog and
// information_schema are not among them.
func (s *Snapshot) Schemas() []*Schema {
	list := make([]*Schema, 0, len(s.schemas))
	for _, x := range s.schemas {
		list = append(list, x)
	}
	slices.SortFunc(list, func(a, b *Schema) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	})
	return list
}

// Schema finds a schema; nil if there is none.
func (s *Snapshot) Schema(name string) *Schema { return s.schemas[name] }

// Lookup finds a relation without an error for what is not there: nil. pg_catalog is
// searched first where the path does not name it.
func (s *Snapshot) Lookup(n Name) Relation {
	if n.Schema != "" {
		return s.inSchema(n.Schema, n.Name)
	}
	path := n.searchPath()
	if !slices.Contains(path, catalogSchema) {
		if v, ok := virtuals[relName{catalogSchema, n.Name}]; ok {
			return v
		}
	}
	for _, schema := range path {
		if r := s.inSchema(schema, n.Name); r != nil {
			return r
		}
	}
	return nil
}

// inSchema is Relation that finds those of the system too.
func (s *Snapshot) inSchema(schema, name string) Relation {
	if r := s.Relation(schema, name); r != nil {
		return r
	}
	if v, ok := virtuals[relName{schema, name}]; ok {
		return v
	}
	return nil
}

// lookupOwn is Lookup that finds no relation of the system.
func (s *Snapshot) lookupOwn(n Name) Relation {
	for _, schema := range n.searchPath() {
		if n.Schema != "" {
			schema = n.Schema
		}
		if r := s.Relation(schema, n.Name); r != nil {
			return r
		}
	}
	return nil
}

// Resolve finds the relation a query names: in schema, or where that is empty
// in the schemas of searchPath, in order. 42P01 if there is none.
func (s *Snapshot) Resolve(searchPath []string, schema, name string) (Relation, error) {
	n := Name{Schema: schema, Name: name, Path: searchPath}
	if r := s.Lookup(n); r != nil {
		return r, nil
	}
	return nil, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, n.written())
}

// ResolveTable is Resolve for statements that change a table: 42809 for another
// kind of relation, 42501 for one of the system.
func (s *Snapshot) ResolveTable(searchPath []string, schema, name string) (*Table, error) {
	r, err := s.Resolve(searchPath, schema, name)
	if err != nil {
		return nil, err
	}
	switch r := r.(type) {
	case *Table:
		return r, nil
	case *Virtual:
		return nil, r.denied()
	}
	return nil, sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a table`, name)
}

// CreationSchema gives the schema a new object of this name goes to: the one
// named (3F000 if it does not exist), or the first of the path that exists.
func (s *Snapshot) CreationSchema(n Name) (string, error) {
	if n.Schema != "" {
		if err := checkNotSystem(n.Schema, n); err != nil {
			return "", err
		}
		if s.schemas[n.Schema] == nil {
			return "", undefinedSchema(n.Schema).At(n.Pos)
		}
		return n.Schema, nil
	}
	for _, schema := range n.searchPath() {
		if s.schemas[schema] != nil {
			return schema, nil
		}
	}
	return "", sqlerr.New(sqlerr.InvalidSchemaName, "no schema has been selected to create in").At(n.Pos)
}

// OwnedSequences lists the sequences that columns of a table own.
func (s *Snapshot) OwnedSequences(table uint32) []*Sequence {
	var list []*Sequence
	for _, q := range s.Sequences() {
		if q.OwnerTable == table {
			list = append(list, q)
		}
	}
	return list
}

// dependents lists the views that name a relation.
func (s *Snapshot) dependents(id uint32) []*View {
	var list []*View
	for _, v := range s.Views() {
		if slices.Contains(v.DependsOn, id) {
			list = append(list, v)
		}
	}
	return list
}

func (n Name) searchPath() []string {
	if n.Path == nil {
		return []string{PublicSchema}
	}
	return n.Path
}

// written gives the name as the user wrote it.
func (n Name) written() string {
	if n.Schema != "" {
		return n.Schema + "." + n.Name
	}
	return n.Name
}
