package peers

import (
	"bytes"
	"compress/flate"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"time"

	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/statements"
)

// maxPart bounds what a part may have in it, whoever wrote it: a server has 16 MB of shapes.
const maxPart = 64 << 20

// Teller tells the other servers of this one's statements: once in a while it writes the parts of
// its shapes in which something ran. It is for one goroutine.
type Teller struct {
	Statements *statements.Collector
	Every      time.Duration
	Logger     *slog.Logger
	// Joins is how often this server has joined the others: they may have taken it for dead, and
	// removed what it told.
	Joins func() int64
	// Put writes parts, by their numbers, within Every; nil removes one.
	Put func(ctx context.Context, parts map[int][]byte) error

	joins int64
	told  [versions.ShapeParts]state
}

// state tells whether anything ran in a part since it was written.
type state struct {
	shapes, runs int64
	ids          int64 // sum of theirs: one shape may have taken another's place
}

// Run tells the others until ctx ends.
func (x *Teller) Run(ctx context.Context) {
	t := time.NewTicker(x.Every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if err := x.Tell(ctx); err != nil && ctx.Err() == nil {
			x.Logger.Warn("other servers do not see what statements this one has run", "error", err)
		}
	}
}

// Tell writes the parts in which something ran since the last time.
func (x *Teller) Tell(ctx context.Context) error {
	var now [versions.ShapeParts]state
	var of [versions.ShapeParts][]*statements.Entry
	for _, e := range x.Statements.Entries() {
		part := uint64(e.ID) % versions.ShapeParts
		c := e.Counters()
		p := &now[part]
		p.shapes, p.runs, p.ids = p.shapes+1, p.runs+c.Calls+c.Errors, p.ids+e.ID
		of[part] = append(of[part], e)
	}
	joins := x.Joins()
	again := joins != x.joins
	parts := map[int][]byte{}
	for part := range now {
		if now[part] == x.told[part] && (!again || now[part].shapes == 0) {
			continue
		}
		list := make([]pgcatalog.Statement, 0, len(of[part]))
		for _, e := range of[part] {
			list = append(list, Shown(e))
		}
		var err error
		if parts[part], err = Pack(list); err != nil {
			return err
		}
	}
	if len(parts) == 0 {
		x.joins = joins
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, x.Every)
	defer cancel()
	if err := x.Put(ctx, parts); err != nil {
		return err
	}
	x.told, x.joins = now, joins
	return nil
}

// Shown is a shape as it is shown and told.
func Shown(e *statements.Entry) pgcatalog.Statement {
	ms := func(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
	c := e.Counters()
	return pgcatalog.Statement{
		User: e.User, ID: e.ID, Text: e.Shape, Calls: c.Calls, Errors: c.Errors, Rows: c.Rows,
		Total: ms(c.Total), Min: ms(c.Min), Max: ms(c.Max), StdDev: ms(c.StdDev()),
		StorageCalls: c.StorageCalls, RowsRead: c.RowsRead, BytesRead: c.BytesRead, RowsWritten: c.Written, BucketsRead: c.Buckets, SpilledBytes: c.Spilled,
	}
}

// Pack writes a part; nothing is nil.
func Pack(list []pgcatalog.Statement) ([]byte, error) {
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

// Unpack reads a part.
func Unpack(part []byte) (list []pgcatalog.Statement, err error) {
	r := flate.NewReader(bytes.NewReader(part))
	err = json.NewDecoder(io.LimitReader(r, maxPart)).Decode(&list)
	return list, err
}
