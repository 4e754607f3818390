package physical

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/planner/logical"
)

// pathKey is what a path of a leaf follows from, beside what the leaf itself says.
type pathKey struct {
	leaf logical.Node
	ix   *catalog.Index
	on   [3]expr.Expr
}

// path tells of reading a leaf's table, by an index or without, under its own conditions and
// those of a join. Many pairs of a group ask for the same.
func (c *chooser) path(leaf logical.Node, get *logical.Get, ix *catalog.Index, own, on []expr.Expr) Path {
	k := pathKey{leaf: leaf, ix: ix}
	known := copy(k.on[:], on) == len(on)
	if known {
		if p, ok := c.paths[k]; ok {
			return p
		}
	}
	c.asked++
	var p Path
	if conds := slices.Concat(own, on); ix != nil {
		p = c.o.Access.ByIndex(get, ix, conds)
	} else {
		p = c.o.Access.Scan(get, conds)
	}
	if known {
		c.paths[k] = p
	}
	return p
}

// indexesOf are those by which a leaf's table may be read.
func (c *chooser) indexesOf(leaf logical.Node, get *logical.Get, own []expr.Expr) []*catalog.Index {
	list, ok := c.indexes[leaf]
	if !ok {
		list = c.o.Access.Indexes(get, own)
		c.indexes[leaf] = list
	}
	return list
}
