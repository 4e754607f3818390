package session

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"io"
	"time"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/statements"
)

// What servers of one store tell each other of the statements that they have run, by which each of
// them shows saltsql.statements: once in a lease's time a server writes the parts of its shapes in
// which something ran. One that runs nothing writes nothing.

// maxSharedPart bounds what a part may have in it, whoever wrote it: a server has 16 MB of shapes.
const maxSharedPart = 64 << 20

// sharedStatements is what the other servers know of this one.
type sharedStatements struct {
	db    *DB
	joins int64
	told  [versions.ShapeParts]partState
}

// partState tells whether anything ran in a part since it was written.
type partState struct {
	shapes, runs int64
	ids          int64 // sum of theirs: one shape may have taken another's place
}

// run tells the others until ctx ends.
func (x *sharedStatements) run(ctx context.Context) {
	t := time.NewTicker(x.db.opts.lease())
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if err := x.tell(ctx); err != nil && ctx.Err() == nil {
			x.db.opts.Logger.Warn("other servers do not see what statements this one has run", "error", err)
		}
	}
}

// tell writes the parts in which something ran since the last time.
func (x *sharedStatements) tell(ctx context.Context) error {
	var now [versions.ShapeParts]partState
	var of [versions.ShapeParts][]*statements.Entry
	for _, e := range x.db.statements.Entries() {
		part := uint64(e.ID) % versions.ShapeParts
		c := e.Counters()
		p := &now[part]
		p.shapes, p.runs, p.ids = p.shapes+1, p.runs+c.Calls+c.Errors, p.ids+e.ID
		of[part] = append(of[part], e)
	}
	joins := x.db.catalog.Joins()
	again := joins != x.joins // the others may have taken this server for dead, and removed what it told
	parts := map[int][]byte{}
	for part := range now {
		if now[part] == x.told[part] && (!again || now[part].shapes == 0) {
			continue
		}
		list := make([]pgcatalog.Statement, 0, len(of[part]))
		for _, e := range of[part] {
			list = append(list, shownStatement(e))
		}
		var err error
		if parts[part], err = packStatements(list); err != nil {
			return err
		}
	}
	if len(parts) == 0 {
		x.joins = joins
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, x.db.opts.lease())
	defer cancel()
	if err := x.db.catalog.PutShapes(ctx, parts); err != nil {
		return err
	}
	x.told, x.joins = now, joins
	return nil
}

// packStatements writes a part; nothing is nil.
func packStatements(list []pgcatalog.Statement) ([]byte, error) {
	if len(list) == 0 {
		return nil, nil
	}
	var b bytes.Buffer
	w, err := flate.NewWriter(&b, flate.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(w).Encode(list); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

func unpackStatements(part []byte) (list []pgcatalog.Statement, err error) {
	r := flate.NewReader(bytes.NewReader(part))
	err = json.NewDecoder(io.LimitReader(r, maxSharedPart)).Decode(&list)
	return list, err
}

// EachServersStatements shows the statements of all servers of the store: of this one as they are
// now, of others as they have told.
func (f sessionFuncs) EachServersStatements(ctx context.Context, show func(server string, list []pgcatalog.Statement) error) error {
	db := f.s.db
	if list := f.Statements(); len(list) > 0 {
		if err := show(db.catalog.Owner, list); err != nil {
			return err
		}
	}
	return db.catalog.EachShapes(ctx, func(server string, part []byte) error {
		list, err := unpackStatements(part)
		if err != nil { // of another version, perhaps; it is about nobody's data
			db.opts.Logger.Warn("what another server tells of its statements cannot be read", "server", server, "error", err)
			return nil
		}
		return show(server, list)
	})
}
