package change

import (
	"maps"
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/types"
)

// mayUseType refuses a type that who makes the change may not use: 42501.
func (ch *Change) mayUseType(t types.T) error {
	u := t.Domain()
	if u == nil {
		u = t.User()
	}
	if u == nil {
		return nil
	}
	o, _ := ch.Get(u.ID)
	d, ok := o.Desc.(*catalog.Type)
	if !ok {
		return nil
	}
	if rights, _ := ch.TypeRights(ch.By, d); rights&acl.Usage == 0 {
		return catalog.Denied("type", catalog.QualifiedName(d.Schema, d.Name))
	}
	return nil
}

// mayUseTypes refuses new columns, and new domains, of types that who makes the change may not
// use: 42501.
func (ch *Change) mayUseTypes(id uint32, o catalog.Object) error {
	was, _ := ch.Object(id)
	old := map[int]types.T{}
	now := old
	switch d := o.Desc.(type) {
	case *catalog.Table:
		now = map[int]types.T{}
		for i := range d.Columns {
			now[d.Columns[i].ID] = d.Columns[i].Type
		}
		if d, ok := was.Desc.(*catalog.Table); ok {
			for i := range d.Columns {
				old[d.Columns[i].ID] = d.Columns[i].Type
			}
		}
	case *catalog.View:
		now = map[int]types.T{}
		for i := range d.Columns {
			now[i] = d.Columns[i].Type
		}
		if d, ok := was.Desc.(*catalog.View); ok {
			for i := range d.Columns {
				old[i] = d.Columns[i].Type
			}
		}
	case *catalog.Type:
		if d.Domain == nil || was.Desc != nil {
			return nil
		}
		now = map[int]types.T{0: d.Domain.Base}
	}
	for _, i := range slices.Sorted(maps.Keys(now)) {
		t := now[i]
		if was, ok := old[i]; ok && was == t {
			continue
		}
		if err := ch.mayUseType(t); err != nil {
			return err
		}
	}
	return nil
}
