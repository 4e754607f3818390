package change

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Edit gives what becomes of the newest catalog when the draft is published: 40001 where another
// session has changed what it goes by, 42P07 or 42710 where another has taken a name of it.
func (d *Draft) Edit(s *catalog.Snapshot) (*versions.Edit, error) {
	if err := d.holds(s); err != nil {
		return nil, err
	}
	e, version := versions.NewEdit(s), s.Version()+1
	for id, o := range d.Mark().put {
		switch desc := o.Desc.(type) {
		case *catalog.Table:
			cp := *desc
			cp.Version, cp.Types, o.Desc = version, s.Users, &cp
		case *catalog.View:
			cp := *desc
			cp.Version, o.Desc = version, &cp
		case *catalog.Sequence:
			cp := *desc
			cp.Version, o.Desc = version, &cp
		case *catalog.Type:
			cp := *desc
			cp.Version, o.Desc = version, &cp
		}
		e.Put[id] = o
	}
	for id := range d.Mark().del {
		e.Del[id] = true
	}
	return &e, nil
}

// holds says whether the draft can be laid over s: names are free, and what it changes, or needs, is
// as it was.
func (d *Draft) holds(s *catalog.Snapshot) error {
	if s == d.base && !d.kept {
		return nil
	}
	m := d.Mark()
	for id, ptr := range m.was {
		if o, ok := s.Object(id); !ok || o.Ptr != ptr {
			return moved(d.base, id)
		}
	}
	for id, o := range m.put {
		if sc, ok := o.Desc.(*catalog.Schema); ok && s.Schema(sc.Name) != nil && !m.del[s.Schema(sc.Name).ID] {
			return sqlerr.New(sqlerr.DuplicateSchema, `schema "%s" already exists`, sc.Name)
		}
		for _, n := range o.Names() {
			by, taken := s.TakenBy(n.Schema, n.Name)
			if _, mine := m.put[by]; !taken || by == id || mine || m.del[by] {
				continue
			}
			if _, ok := o.Desc.(*catalog.Type); ok {
				return catalog.DuplicateType(catalog.Name{Name: n.Name})
			}
			return catalog.DuplicateRelation(catalog.Name{Name: n.Name})
		}
	}
	if m.empty() {
		return nil
	}
	if err := d.unneeded(m, s); err != nil {
		return err
	}
	needs := m.needs()
	for id, was := range d.base.Objects() {
		now, there := s.Object(id)
		if there && now.Ptr == was.Ptr {
			continue
		}
		if _, own := m.was[id]; own {
			continue
		}
		switch was.Desc.(type) {
		case *catalog.Schema, *catalog.Type:
			return moved(d.base, id)
		case *catalog.Role, *catalog.Sequence:
			if !there {
				return moved(d.base, id)
			}
		default:
			if needs[id] {
				return moved(d.base, id)
			}
		}
	}
	return nil
}

// unneeded says whether what others have made or changed since needs nothing of what the draft removes.
func (d *Draft) unneeded(m DraftMark, s *catalog.Snapshot) error {
	removed := m.Removed()
	if len(removed) == 0 {
		return nil
	}
	schemas, values := map[string]uint32{}, uint32(0) // values is a type or a sequence
	for id := range removed {
		switch desc := d.base.Descriptor(id).(type) {
		case *catalog.Schema:
			schemas[desc.Name] = id
		case *catalog.Type, *catalog.Sequence:
			values = id
		}
	}
	for id, o := range s.Objects() {
		r, ok := o.Desc.(catalog.Relation)
		_, own := m.was[id]
		if was, there := d.base.Object(id); !ok || own || there && was.Ptr == o.Ptr {
			continue
		}
		if in, gone := schemas[r.RelSchema()]; gone {
			return moved(d.base, in)
		}
		if values != 0 {
			return moved(d.base, values)
		}
		for needed := range (DraftMark{put: map[uint32]catalog.Object{id: o}}).needs() {
			if removed[needed] {
				return moved(d.base, needed)
			}
		}
	}
	return nil
}

// needs lists the tables and views that objects of the draft go by.
func (m DraftMark) needs() map[uint32]bool {
	needs := map[uint32]bool{}
	for _, o := range m.put {
		switch desc := o.Desc.(type) {
		case *catalog.View:
			for _, id := range desc.DependsOn {
				needs[id] = true
			}
		case *catalog.Table:
			for i := range desc.ForeignKeys {
				needs[desc.ForeignKeys[i].Table] = true
			}
		}
	}
	return needs
}

func moved(s *catalog.Snapshot, id uint32) error {
	e := sqlerr.New(sqlerr.SerializationFailure, "could not serialize access due to concurrent update").WithHint("Repeat the transaction.")
	if r, ok := s.Descriptor(id).(catalog.Relation); ok {
		return e.WithDetail("Another session has changed %s %s, by which the transaction block has changed the catalog.", r.RelKind(), r.RelName())
	}
	return e.WithDetail("Another session has changed what the transaction block has changed the catalog by.")
}
