package acl

import (
	"math/bits"
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Public is the grantee that stands for everybody.
const Public uint32 = 0

// Item is what one role granted to another.
type Item struct {
	Grantee, Grantor uint32
	Rights           Right
	Options          Right // rights that the grantee may pass on
}

// List is the rights on one object. It is immutable. A nil *List stands for Default.
type List struct{ Items []Item }

// Roles says who has whose rights: a superuser everybody's, a role its own and, where it
// inherits, those of the roles that it is in.
type Roles interface {
	HasPrivsOf(member, role uint32) bool
}

// Default is the list of an object of whose rights nothing was said.
func Default(k Kind, owner uint32) *List {
	l := &List{}
	switch k {
	case Database:
		l.Items = append(l.Items, Item{Grantee: Public, Grantor: owner, Rights: Temporary | Connect})
	case Type:
		l.Items = append(l.Items, Item{Grantee: Public, Grantor: owner, Rights: Usage})
	}
	if k != Column {
		l.Items = append(l.Items, Item{Grantee: owner, Grantor: owner, Rights: k.All()})
	}
	return l
}

// Or gives l, or the default where l is nil.
func (l *List) Or(k Kind, owner uint32) *List {
	if l == nil {
		return Default(k, owner)
	}
	return l
}

// Held gives the rights that a role has, and those of them that it may pass on: the owner all.
func (l *List) Held(roles Roles, role, owner uint32) (rights, options Right) {
	if roles.HasPrivsOf(role, owner) {
		options = ^None
	}
	for _, it := range l.Items {
		if it.Grantee == Public || it.Grantee == role || roles.HasPrivsOf(role, it.Grantee) {
			rights |= it.Rights
			options |= it.Options
		}
	}
	return rights, options
}

// optionsOf are the options that a role has by itself.
func (l *List) optionsOf(role, owner uint32) (options Right) {
	if role == owner {
		return ^None
	}
	for _, it := range l.Items {
		if it.Grantee == role || it.Grantee == Public {
			options |= it.Options
		}
	}
	return options
}

// Grantor chooses who grants: the owner, where role has the owner's rights, else whichever
// of the roles that it has the rights of, itself first, may grant most of the rights. options are
// those that the grantor may pass on.
func (l *List) Grantor(roles Roles, candidates []uint32, role, owner uint32, rights Right) (grantor uint32, options Right) {
	if roles.HasPrivsOf(role, owner) {
		return owner, rights
	}
	grantor = role
	for _, c := range candidates {
		have := l.optionsOf(c, owner) & rights
		if have == rights {
			return c, have
		}
		if bits.OnesCount16(uint16(have)) > bits.OnesCount16(uint16(options)) {
			grantor, options = c, have
		}
	}
	return grantor, options
}

// Grant adds rights for a grantee, with their options where option is set. 0LP01 where an
// option would come back to who granted it.
func (l *List) Grant(roles Roles, it Item, owner uint32) (*List, error) {
	if it.Options != None {
		if err := l.circular(roles, it, owner); err != nil {
			return nil, err
		}
	}
	items := slices.Clone(l.Items)
	i := slices.IndexFunc(items, func(x Item) bool { return x.Grantee == it.Grantee && x.Grantor == it.Grantor })
	switch {
	case it.Rights == None && it.Options == None:
		return l, nil
	case i < 0:
		return &List{append(items, it)}, nil
	}
	items[i].Rights |= it.Rights
	items[i].Options |= it.Options
	return &List{items}, nil
}

// circular refuses options for a grantee whose options those of the grantor rest on.
func (l *List) circular(roles Roles, it Item, owner uint32) error {
	if it.Grantor == owner {
		return nil
	}
	without := l
	for {
		i := slices.IndexFunc(without.Items, func(x Item) bool { return x.Grantee == it.Grantee && x.Options != None })
		if i < 0 {
			break
		}
		var err error
		if without, err = without.Revoke(roles, without.Items[i], owner, true); err != nil {
			return err
		}
	}
	if _, options := without.Held(roles, it.Grantor, owner); it.Options&^options != None {
		return sqlerr.New(sqlerr.InvalidGrantOperation, "grant options cannot be granted back to your own grantor")
	}
	return nil
}

// Revoke takes the rights and the options of it away, and what was granted by those options:
// 2BP01 where there is some of that and cascade is not set.
func (l *List) Revoke(roles Roles, it Item, owner uint32, cascade bool) (*List, error) {
	items := slices.Clone(l.Items)
	i := slices.IndexFunc(items, func(x Item) bool { return x.Grantee == it.Grantee && x.Grantor == it.Grantor })
	if i < 0 {
		return l, nil
	}
	lost := items[i].Options & it.Options
	items[i].Rights &^= it.Rights
	items[i].Options &^= it.Options
	if items[i].Rights == None && items[i].Options == None {
		items = slices.Delete(items, i, i+1)
	}
	next := &List{items}
	if lost == None || it.Grantee == owner {
		return next, nil
	}
	// What the grantee may still grant by another's leave stays.
	_, still := next.Held(roles, it.Grantee, owner)
	if lost &^= still; lost == None {
		return next, nil
	}
	for {
		j := slices.IndexFunc(next.Items, func(x Item) bool { return x.Grantor == it.Grantee && x.Rights&lost != None })
		if j < 0 {
			return next, nil
		}
		if !cascade {
			return nil, sqlerr.New(sqlerr.DependentObjectsStillExist, "dependent privileges exist").
				WithHint("Use CASCADE to revoke them too.")
		}
		var err error
		gone := Item{Grantee: next.Items[j].Grantee, Grantor: it.Grantee, Rights: lost, Options: lost}
		if next, err = next.Revoke(roles, gone, owner, cascade); err != nil {
			return nil, err
		}
	}
}

// NewOwner is the list after the object has changed hands: what the old owner granted and
// held, the new one does.
func (l *List) NewOwner(from, to uint32) *List {
	if l == nil {
		return nil
	}
	out := &List{}
	for _, it := range l.Items {
		if it.Grantor == from {
			it.Grantor = to
		}
		if it.Grantee == from {
			it.Grantee = to
		}
		i := slices.IndexFunc(out.Items, func(x Item) bool { return x.Grantee == it.Grantee && x.Grantor == it.Grantor })
		if i < 0 {
			out.Items = append(out.Items, it)
			continue
		}
		out.Items[i].Rights |= it.Rights
		out.Items[i].Options |= it.Options
	}
	return out
}

// Names says whether a role is in the list.
func (l *List) Names(role uint32) bool {
	return l != nil && slices.ContainsFunc(l.Items, func(it Item) bool { return it.Grantee == role || it.Grantor == role })
}

// Without is the list without what a role was granted, and granted.
func (l *List) Without(role uint32) *List {
	if l == nil {
		return nil
	}
	return &List{slices.DeleteFunc(slices.Clone(l.Items), func(it Item) bool { return it.Grantee == role || it.Grantor == role })}
}

// Equal compares two lists of one object, whatever the order of their items.
func (l *List) Equal(m *List) bool {
	if len(l.Items) != len(m.Items) {
		return false
	}
	for _, it := range l.Items {
		if !slices.Contains(m.Items, it) {
			return false
		}
	}
	return true
}
