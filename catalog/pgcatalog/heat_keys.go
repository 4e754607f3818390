package pgcatalog

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/rowcodec"
	"github.com/saltsql/saltsql/internal/types"
)

// Keys that were sampled, as SQL shows them: to roles that may read all that the key is made of.

// codec is the key of the table or the index.
func (h *heated) codec() *rowcodec.KeySchema {
	if h.index == nil {
		return &h.table.Codec().Key
	}
	return &h.index.Codec().Key
}

// keyColumns are the IDs of the columns that the key is made of.
func (h *heated) keyColumns() (ids []int) {
	if h.index == nil {
		for _, at := range h.table.PrimaryKey {
			ids = append(ids, h.table.Columns[at].ID)
		}
		return ids
	}
	for i := range h.index.Key {
		if at := h.index.Key[i].Column; at >= 0 {
			ids = append(ids, h.table.Columns[at].ID)
		}
	}
	for i := range h.index.Parts {
		if p := &h.index.Parts[i]; p.Column != 0 {
			ids = append(ids, p.Column)
		} else {
			ids = append(ids, p.Columns...)
		}
	}
	return ids
}

// readable says whether a role may see keys: it has SELECT on each of the key's columns.
func (h *heated) readable(snap *catalog.Snapshot, role uint32) bool {
	rights, _ := snap.RelationRights(role, h.table)
	return rights&acl.Select != 0 || !slices.ContainsFunc(h.keyColumns(), func(id int) bool {
		own, _ := snap.ColumnRights(role, h.table, id)
		return own&acl.Select == 0
	})
}

// keyArray is the first columns of a logical key, n at most, as a text[]: as many as its bytes have. cut
// says that bytes are missing at its end.
func (h *heated) keyArray(key []byte, n int, cut bool) types.Datum {
	codec := h.codec()
	vals := codec.DecodePrefix(key, n, cut)
	for i, d := range vals {
		if !d.Null {
			vals[i] = text(types.Format(codec.Columns[i].SQL, d, &types.IOEnv{}))
		}
	}
	return array(types.Text, func(d types.Datum) types.Datum { return d }, vals)
}
