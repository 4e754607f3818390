package versions

import (
	"context"
	"fmt"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/storage"
)

// Rows of what servers tell each other of the statements that they have run, on stores that
// several servers share:
//
//	shapes/9f3c01aa…/1b2c3d4e/07     c:shapes    what the session has made of a part of them
//
// A server's rows are ShapeParts at most, written over and over, and go when it leaves. Those of
// one that died are read no more when its row is gone, and are removed by who next writes its own.
const (
	shapesPrefix = "shapes/"
	shapesCell   = "shapes"
)

// ShapeParts is how many parts there are: one that has not changed is not written again.
const ShapeParts = 16

func shapesKey(owner string, part int) string {
	return fmt.Sprintf("%s%s/%02d", shapesPrefix, owner, part)
}

// PutShapes writes what this server tells of its statements: the parts that are named, and an
// empty one is removed.
func (c *Keeper) PutShapes(ctx context.Context, parts map[int][]byte) error {
	gone, err := c.deadShapes(ctx)
	if err != nil {
		return catalog.FromStorage(err, "telling other servers of statements")
	}
	var rows []storage.RowMutation
	for part, value := range parts {
		key := shapesKey(c.Owner, part)
		if len(value) == 0 {
			gone = append(gone, key)
			continue
		}
		rows = append(rows, storage.RowMutation{Key: []byte(key), Mutations: []storage.Mutation{{
			Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(shapesCell), Timestamp: c.nextTimestamp(0), Value: value,
		}}})
	}
	c.toldShapes.Store(true)
	c.DeleteRows(ctx, gone)
	return catalog.FromStorage(c.putRows(ctx, rows), "telling other servers of statements")
}

// ownerOfShapes is the server whose part has this key.
func ownerOfShapes(key string) string {
	owner := strings.TrimPrefix(key, shapesPrefix)
	return owner[:max(strings.LastIndexByte(owner, '/'), 0)]
}

func shapesRequest(keysOnly bool) *storage.ScanRequest {
	end := []byte(shapesPrefix)
	end[len(end)-1]++
	return &storage.ScanRequest{Spans: []storage.Span{{Start: []byte(shapesPrefix), End: end}}, KeysOnly: keysOnly}
}

// otherServers are those that have a row.
func (c *Keeper) otherServers(ctx context.Context) (map[string]bool, error) {
	list, err := c.coord.others(ctx)
	alive := make(map[string]bool, len(list))
	for _, s := range list {
		alive[strings.TrimPrefix(s.Key, serverPrefix)] = true
	}
	return alive, err
}

// deadShapes lists the rows of servers that are no more.
func (c *Keeper) deadShapes(ctx context.Context) (keys []string, err error) {
	err = RetryRead(ctx, func() error {
		keys = keys[:0]
		return storage.EachBatch(ctx, c.Table, shapesRequest(true), func(b *storage.RowBatch) error {
			for i := range b.Len() {
				keys = append(keys, string(b.Key(i)))
			}
			return nil
		})
	})
	if err != nil || len(keys) == 0 {
		return nil, err
	}
	// Read after the rows: who has written one was there before.
	alive, err := c.otherServers(ctx)
	if err != nil {
		return nil, err
	}
	dead := keys[:0]
	for _, key := range keys {
		if owner := ownerOfShapes(key); owner != c.Owner && !alive[owner] {
			dead = append(dead, key)
		}
	}
	return dead, nil
}

// EachShapes shows what the other servers of the store tell of their statements, a part at a time.
func (c *Keeper) EachShapes(ctx context.Context, show func(server string, part []byte) error) error {
	alive, err := c.otherServers(ctx)
	if err == nil && len(alive) > 0 {
		err = storage.EachBatch(ctx, c.Table, shapesRequest(false), func(b *storage.RowBatch) error {
			for i := range b.Len() {
				value, ok := b.Value(i, SystemFamily, []byte(shapesCell))
				if owner := ownerOfShapes(string(b.Key(i))); ok && alive[owner] {
					if err := show(owner, value); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	return catalog.FromStorage(err, "reading what other servers tell of statements")
}

// forgetShapes removes this server's rows, when it leaves.
func (c *Keeper) forgetShapes(ctx context.Context) {
	if !c.toldShapes.Load() {
		return
	}
	keys := make([]string, ShapeParts)
	for part := range keys {
		keys[part] = shapesKey(c.Owner, part)
	}
	c.DeleteRows(ctx, keys)
}
