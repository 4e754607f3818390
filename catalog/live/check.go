package live

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/change"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/storage"
)

// Problem is one thing that is not as it should be.
type Problem struct {
	Object string // "table public.t", "row desc/…", "storage table t.k3x9qa.16385"
	Text   string
	// Pending problems are what a statement that died, or one still running,
	// leaves; the next DDL statement or Open puts them in order, or the jobs that
	// an open catalog goes on with. The others are faults.
	Pending bool
}

func (p Problem) String() string {
	s := p.Object + ": " + p.Text
	if p.Pending {
		s += " (pending)"
	}
	return s
}

// Check reads the whole catalog anew, and the list of the store's tables, and
// compares. It changes nothing. While DDL statements run it may report what is
// pending with them.
func (c *Catalog) Check(ctx context.Context) ([]Problem, error) {
	tables, err := c.Store.Admin().Tables(ctx)
	if err != nil {
		return nil, catalog.FromStorage(err, "listing the store's tables")
	}
	s, err := c.Load(ctx, nil)
	if err != nil {
		return nil, catalog.FromStorage(err, "reading the catalog")
	}
	var ps []Problem
	add := func(pending bool, object, format string, args ...any) {
		ps = append(ps, Problem{object, fmt.Sprintf(format, args...), pending})
	}
	specs := make(map[string]storage.TableSpec, len(tables))
	for _, t := range tables {
		specs[t.Name] = t
	}
	if _, ok := specs[versions.SystemTable]; !ok {
		add(false, "storage table "+versions.SystemTable, "it is missing")
	}
	seen := make(map[catalog.RelName]uint32)
	physical := make(map[string]uint32)
	for id, o := range s.Objects() {
		what := describeObject(o.Desc)
		if id >= s.Root.NextID {
			add(false, what, "its ID %d is not below the next one, %d", id, s.Root.NextID)
		}
		if o.State != catalog.StatePublic {
			add(true, what, "it is in state %s", catalog.StateNames[o.State])
		}
		if t, ok := o.Desc.(*catalog.Table); ok && t.Frozen && o.State == catalog.StatePublic {
			add(true, what, "it is frozen for an ALTER TABLE")
		}
		if t, ok := o.Desc.(*catalog.Table); ok && o.State == catalog.StatePublic && (t.Truncating || len(unmade(t)) > 0) {
			add(true, what, "a TRUNCATE of it, or the making of an index, was broken off")
		}
		if t, ok := o.Desc.(*catalog.Table); ok && o.State == catalog.StatePublic && (len(t.Jobs()) > 0 || len(t.Retired) > 0) {
			add(true, what, "a change of its salt, or the making of an index, has not ended")
		}
		r, ok := o.Desc.(catalog.Relation)
		if !ok || o.State == catalog.StateDropping {
			continue
		}
		n := catalog.RelName{Schema: r.RelSchema(), Name: r.RelName()}
		if other, dup := seen[n]; dup {
			add(false, what, "objects %d and %d have the same name", id, other)
		}
		seen[n] = id
		if s.Schema(n.Schema) == nil {
			add(false, what, "its schema does not exist")
		}
		for _, text := range danglers(s, r) {
			add(false, what, "%s", text)
		}
	}
	for _, o := range s.Objects() {
		t, ok := o.Desc.(*catalog.Table)
		if !ok {
			continue
		}
		for _, name := range t.Parts() {
			if other, dup := physical[name]; dup {
				add(false, describeObject(t), "it shares storage table %s with object %d", name, other)
			}
			physical[name] = t.ID
		}
		for _, name := range t.Storages() {
			physical[name] = t.ID
		}
		for i := range t.Indexes {
			ix := &t.Indexes[i]
			physical[ix.Physical] = t.ID
			if _, ok := specs[ix.Physical]; !ok && o.State == catalog.StatePublic {
				add(ix.State == catalog.IndexPlanned, "index "+t.Schema+"."+ix.Name, "its storage table %s is missing", ix.Physical)
			}
		}
		if o.State != catalog.StatePublic {
			continue
		}
		for _, name := range t.Parts() {
			switch spec, ok := specs[name]; {
			case !ok:
				add(false, describeObject(t), "its storage table %s is missing", name)
			case !hasFamilies(spec, t.Families()):
				add(false, describeObject(t), "its storage table %s lacks a column family", name)
			case !specHolds(spec, t.StorageSpec(nil)):
				add(true, describeObject(t), "its storage table %s has another TTL or number of versions", name)
			}
		}
	}
	for name := range specs {
		id, ours := catalog.OwnsPhysical(s.Root.UID, name)
		if _, used := physical[name]; ours && !used && id < s.Root.NextID {
			add(true, "storage table "+name, "no table uses it")
		}
	}
	garbage, err := c.garbage(ctx, s)
	if err != nil {
		return nil, catalog.FromStorage(err, "reading the catalog")
	}
	for _, k := range garbage {
		add(true, "row "+k, "nothing names it")
	}
	slices.SortFunc(ps, func(a, b Problem) int { return strings.Compare(a.String(), b.String()) })
	return ps, nil
}

// danglers says which of an object's references lead nowhere.
func danglers(s *catalog.Snapshot, r catalog.Relation) []string {
	var out []string
	switch r := r.(type) {
	case *catalog.Table:
		if v := r.AsView(); v != nil {
			out = append(out, unnamed(s, v)...)
		}
		for i := range r.Columns {
			c := &r.Columns[i]
			for _, id := range change.Draws(c) {
				q, ok := s.Descriptor(id).(*catalog.Sequence)
				switch {
				case !ok:
					out = append(out, fmt.Sprintf("sequence %d, which the default of column %s names, does not exist", id, c.Name))
				case c.Identity != 0 && !q.OwnedBy(r, c):
					out = append(out, fmt.Sprintf("column %s owns sequence %d, which does not know it", c.Name, id))
				}
			}
		}
	case *catalog.Sequence:
		if r.OwnerTable == 0 {
			break
		}
		if t, ok := s.Descriptor(r.OwnerTable).(*catalog.Table); !ok || t.ColumnByID(r.OwnerColumn) == nil {
			out = append(out, fmt.Sprintf("its owner, column %d of table %d, does not exist", r.OwnerColumn, r.OwnerTable))
		}
	case *catalog.View:
		out = unnamed(s, r)
	}
	return out
}

// unnamed lists what a view names and is not there.
func unnamed(s *catalog.Snapshot, v *catalog.View) (out []string) {
	for _, id := range v.DependsOn {
		if s.Member(id) == nil {
			out = append(out, fmt.Sprintf("relation %d, which it names, does not exist", id))
		}
	}
	return out
}

func describeObject(d catalog.Descriptor) string {
	if sc, ok := d.(*catalog.Schema); ok {
		return "schema " + sc.Name
	}
	if r, ok := d.(*catalog.Role); ok {
		return "role " + r.Name
	}
	r, ok := d.(catalog.Relation)
	if !ok {
		return "database"
	}
	return r.RelKind() + " " + r.RelSchema() + "." + r.RelName()
}

func hasFamilies(spec storage.TableSpec, want []string) bool {
	for _, f := range want {
		if !slices.ContainsFunc(spec.Families, func(g storage.FamilySpec) bool { return g.Name == f }) {
			return false
		}
	}
	return true
}
