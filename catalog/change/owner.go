package change

import "github.com/saltsql/saltsql/catalog"

// GiveTo makes owner the owner of a relation.
func (ch *Change) GiveTo(r catalog.Relation, owner uint32) error {
	from := r.(catalog.Ownable).Ownership().Owner
	if from == owner {
		return ErrNothing
	}
	if err := ch.MayBecome(owner); err != nil {
		return err
	}
	if !ch.IsSuperuser(ch.By) {
		if sc := ch.Schema(r.RelSchema()); sc != nil && !ch.mayCreate(owner, sc.Name) {
			return catalog.Denied("schema", sc.Name)
		}
	}
	return ch.HandOver(r, owner)
}

func (ch *Change) mayCreate(role uint32, schema string) bool {
	as := *ch
	as.By = role
	return as.MayCreateIn(schema) == nil
}

// HandOver is GiveTo without asking.
func (ch *Change) HandOver(r catalog.Relation, owner uint32) error {
	o := r.(catalog.Ownable).Ownership()
	err := ch.EditRelation(r, func(cp *catalog.Owned) { *cp = catalog.Owned{Owner: owner, Rights: o.Rights.NewOwner(o.Owner, owner)} })
	if t, ok := r.(*catalog.Table); ok && err == nil {
		for _, q := range ch.OwnedSequences(t.ID) {
			if err := ch.HandOver(q, owner); err != nil {
				return err
			}
		}
	}
	return err
}

// EditRelation changes a copy of a relation's ownership.
func (ch *Change) EditRelation(r catalog.Relation, edit func(*catalog.Owned)) error {
	if o, ok := ch.Get(r.RelID()); ok {
		r = o.Desc.(catalog.Relation)
	}
	switch r := r.(type) {
	case *catalog.Table:
		cp := r.Clone()
		from := cp.Owner
		edit(&cp.Owned)
		for i := range cp.Columns {
			if from != cp.Owner {
				cp.Columns[i].Rights = cp.Columns[i].Rights.NewOwner(from, cp.Owner)
			}
		}
		if err := cp.Finish(); err != nil {
			return err
		}
		ch.Set(cp, catalog.StatePublic)
	case *catalog.View:
		cp := *r
		edit(&cp.Owned)
		ch.Set(&cp, catalog.StatePublic)
	case *catalog.Sequence:
		cp := *r
		edit(&cp.Owned)
		ch.Set(&cp, catalog.StatePublic)
	case *catalog.Type:
		cp := *r
		edit(&cp.Owned)
		ch.Set(&cp, catalog.StatePublic)
	}
	return nil
}
