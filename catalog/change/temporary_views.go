package change

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
)

// Dependents lists the views that name a relation, temporary ones of the session among them.
func (ch *Change) Dependents(id uint32) []*catalog.View {
	list := ch.Snapshot.Dependents(id)
	for _, v := range ch.views {
		if slices.Contains(v.DependsOn, id) {
			list = append(list, v)
		}
	}
	return list
}
