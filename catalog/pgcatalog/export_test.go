package pgcatalog

import "github.com/saltsql/saltsql/catalog"

// Relations are all of them.
func Relations() []*catalog.Virtual {
	list := make([]*catalog.Virtual, len(relations))
	for i, r := range relations {
		list[i] = &r.Virtual
	}
	return list
}

// HasSource says that rows of a relation are computed.
func HasSource(name string) bool { return sources[name] != nil }

func (x *Index) OID() uint32 { return x.oid }
