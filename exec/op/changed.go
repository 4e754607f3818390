package op

import "github.com/saltsql/saltsql/internal/memory"

// changedRows are the rows that the nodes of a statement have changed, for those of its
// nodes that come later: a row is changed once by a statement.
type changedRows struct {
	by   map[string]any // the node that did it, by table and key
	hold memory.Share
}

// perChanged is what a row of changedRows costs beside its name, in bytes.
const perChanged = 96

// Changes notes that node changes a row of a table; it gives the node of the statement that
// has done so before, nil if none has. Only of statements that are committed together.
func (cx *Context) Changes(node any, table string, key []byte) (was any, err error) {
	cx.mu.Lock()
	defer cx.mu.Unlock()
	c := &cx.changed
	if c.by == nil {
		c.by, c.hold = map[string]any{}, memory.Of(cx.Memory, false)
	}
	name := table + "\x00" + string(key)
	if was := c.by[name]; was != nil {
		return was, nil
	}
	if err := c.hold.MustTo(c.hold.Bytes() + perChanged + int64(len(name))); err != nil {
		return nil, err
	}
	c.by[name] = node
	return nil, nil
}
