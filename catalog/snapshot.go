package catalog

import (
	"cmp"
	"iter"
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Snapshot is the whole catalog at one version. It never changes; a statement
// binds and plans against one.
type Snapshot struct {
	version uint64
	Root    Root
	objects Layered[uint32, Object]    // every descriptor, of whatever state
	schemas map[string]*Schema         // by name
	byName  Layered[RelName, Relation] // public relations only
	taken   Layered[RelName, uint32]   // public ones and those being created
	rels    []Relation                 // public, by schema and name
	types   []*Type                    // by schema and name
	// Users are the types that users made, as types know them.
	Users *types.Users
	roles roleSet
	// shared are the names that a primary key has and another relation too: see SharedKeys.
	shared map[RelName]bool
	// referenced are the tables that foreign keys name.
	referenced map[uint32]bool
	// reshaped are the tables with a Rewrite, or with retired storage; logs are the change
	// logs of their storage tables.
	reshaped []*Table
	logs     map[string]string
	// found is what lookups are made by.
	found *lookups
	// temp is the session's schema of temporary relations; empty where it has none.
	temp string
}

type RelName struct{ Schema, Name string }

// Object is a descriptor with the place it was read from.
type Object struct {
	Desc  Descriptor
	State State
	Ptr   string // "<version>/<nonce>", as the root row says
}

// NewSnapshot indexes objects, which it keeps; users are the types of the same catalog.
func NewSnapshot(r Root, objects Layered[uint32, Object], users *types.Users) *Snapshot {
	byName, taken := make(map[RelName]Relation, objects.Len()), make(map[RelName]uint32, objects.Len())
	s := &Snapshot{
		version: r.Version,
		Root:    r,
		objects: objects,
		schemas: make(map[string]*Schema),
		roles:   newRoleSet(),
		Users:   users,
		found:   &lookups{},

		referenced: map[uint32]bool{},
	}
	for id, o := range objects.All() {
		switch d := o.Desc.(type) {
		case *Schema:
			s.schemas[d.Name] = d
		case *Role:
			s.roles.add(d)
		case *Type:
			s.take(taken, id, o)
			s.types = append(s.types, d)
			users.Learn(d.ID, d.def(users))
		case Relation:
			n := RelName{d.RelSchema(), d.RelName()}
			s.take(taken, id, o)
			if t, ok := d.(*Table); ok && o.State == StatePublic {
				s.reshape(t)
				for i := range t.ForeignKeys {
					s.referenced[t.ForeignKeys[i].Table] = true
				}
			}
			if o.State == StatePublic {
				byName[n] = d
				s.rels = append(s.rels, d)
			}
		}
	}
	s.byName, s.taken = LayeredOf(byName), LayeredOf(taken)
	slices.SortFunc(s.rels, byFullName)
	slices.SortFunc(s.types, func(a, b *Type) int { return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Name, b.Name)) })
	return s
}

// reshape notes what of a table's storage is in the making, or retired.
func (s *Snapshot) reshape(t *Table) {
	if len(t.Jobs()) == 0 && len(t.Retired) == 0 {
		return
	}
	s.reshaped = append(s.reshaped, t)
	if t.Rewrite != nil && t.Rewrite.State == RewriteCopying && !t.Rewrite.Refreshes() {
		if s.logs == nil {
			s.logs = map[string]string{}
		}
		s.logs[t.Physical] = t.Rewrite.Log
	}
}

// Object gives a descriptor of whatever state, by its ID.
func (s *Snapshot) Object(id uint32) (o Object, ok bool) { return s.objects.Get(id) }

// Descriptor is Object without its state; nil if there is none.
func (s *Snapshot) Descriptor(id uint32) Descriptor {
	o, _ := s.objects.Get(id)
	return o.Desc
}

// Objects gives all descriptors, of whatever state, by their IDs and in no order. It is for
// what looks at all of them: one that is known by its ID or name is found by that.
func (s *Snapshot) Objects() iter.Seq2[uint32, Object] { return s.objects.All() }

// EditObjects gives a copy of the objects, to be changed for the next snapshot.
func (s *Snapshot) EditObjects() Layered[uint32, Object] { return s.objects.Copy() }

// Referenced says that a foreign key names a table.
func (s *Snapshot) Referenced(id uint32) bool { return s.referenced[id] }

// Version grows with each change of the catalog.
func (s *Snapshot) Version() uint64 { return s.version }

// UID tells the catalog, and copies of it, from all others.
func (s *Snapshot) UID() string { return s.Root.UID }

// Relation finds a relation of users by its full name; nil if there is none.
func (s *Snapshot) Relation(schema, name string) Relation {
	r, _ := s.byName.Get(RelName{schema, name})
	return r
}

// Table finds a table by its full name; nil if there is none.
func (s *Snapshot) Table(schema, name string) *Table {
	t, _ := s.Relation(schema, name).(*Table)
	return t
}

// TakenBy gives the relation that has a name, or is being made with it; the name of an index, or
// of a primary key, is its table's.
func (s *Snapshot) TakenBy(schema, name string) (id uint32, ok bool) {
	return s.taken.Get(RelName{schema, name})
}

// ByID finds a relation, the system's among them, by its ID; nil if there is none.
func (s *Snapshot) ByID(id uint32) Relation {
	if o, ok := s.objects.Get(id); ok && o.State == StatePublic {
		if _, ok := o.Desc.(*Type); ok {
			return nil
		}
		r, _ := o.Desc.(Relation)
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
	for _, schema := range s.searched(n) {
		id, _ := s.TakenBy(schema, n.Name)
		t := s.TableByID(id)
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
		return s.inSchema(s.SchemaNamed(n.Schema), n.Name)
	}
	path := n.SearchPath()
	if s.temp != "" {
		if path = s.searched(n); path[0] == s.temp {
			if r := s.Relation(s.temp, n.Name); r != nil {
				return r
			}
		}
	}
	if !slices.Contains(path, catalogSchema) {
		if v, ok := virtuals[RelName{catalogSchema, n.Name}]; ok {
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
	if v, ok := virtuals[RelName{schema, name}]; ok {
		return v
	}
	return nil
}

// LookupOwn is Lookup that finds no relation of the system.
func (s *Snapshot) LookupOwn(n Name) Relation {
	for _, schema := range s.searched(n) {
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
	return nil, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, n.Written())
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
		return nil, r.Denied()
	}
	return nil, sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a table`, name)
}

// CreationSchema gives the schema a new object of this name goes to: the one
// named (3F000 if it does not exist), or the first of the path that exists.
func (s *Snapshot) CreationSchema(n Name) (string, error) {
	if n.Schema != "" {
		if err := CheckNotSystem(n.Schema, n); err != nil {
			return "", err
		}
		schema := s.SchemaNamed(n.Schema)
		if s.schemas[schema] == nil {
			return "", UndefinedSchema(n.Schema).At(n.Pos)
		}
		return schema, nil
	}
	for _, schema := range n.SearchPath() {
		if schema = s.SchemaNamed(schema); s.schemas[schema] != nil {
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

// Dependents lists the views, materialized ones among them, that name a relation.
func (s *Snapshot) Dependents(id uint32) []*View {
	var list []*View
	for _, v := range s.Queries() {
		if slices.Contains(v.DependsOn, id) {
			list = append(list, v)
		}
	}
	return list
}

func (n Name) SearchPath() []string {
	if n.Path == nil {
		return []string{PublicSchema}
	}
	return n.Path
}

// Written gives the name as the user wrote it.
func (n Name) Written() string {
	if n.Schema != "" {
		return n.Schema + "." + n.Name
	}
	return n.Name
}

// MayWrite says whether rows of these tables may be written, or that one of
// the tables is frozen.
func (s *Snapshot) MayWrite(tables []*Table) (frozen bool, err error) {
	for _, t := range tables {
		now := s.TableByID(t.ID)
		switch {
		case now == nil:
			return false, sqlerr.New(sqlerr.UndefinedTable, `relation "%s" does not exist`, t.Name)
		case now.Frozen || now.Truncating:
			frozen = true
		case now.WriteVersion != t.WriteVersion:
			return false, ErrAltered(t.Name)
		}
	}
	return frozen, nil
}
