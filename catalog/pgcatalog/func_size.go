package pgcatalog

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// sizeOf is what a relation takes in the store; ok is false where there is none.
func sizeOf(ctx context.Context, w World, s *catalog.Snapshot, id uint32) (n int64, ok bool, err error) {
	c := classByOID(s, id)
	switch {
	case c == nil:
		return 0, false, nil
	case c.Table != nil:
		n, err = w.TableBytes(ctx, c.Table)
	}
	return n, true, err
}

func sizes() {
	size := func(c *Call) (types.Datum, error) {
		n, ok, err := sizeOf(c.env.Ctx, c, c.snap, c.oid(0))
		if !ok || err != nil {
			return null, err
		}
		return num(n), nil
	}
	for _, name := range []string{"pg_table_size", "pg_total_relation_size", "pg_relation_size"} {
		Function(name, ts(tRegclass), tInt8, size)
	}
	Function("pg_relation_size", ts(tRegclass, tText), tInt8, func(c *Call) (types.Datum, error) {
		switch c.text(1) {
		case "main":
			return size(c)
		case "fsm", "vm", "init":
			return num(0), nil
		}
		return null, sqlerr.New(sqlerr.InvalidParameterValue, "invalid fork name").
			WithHint(`Valid fork names are "main", "fsm", "vm", and "init".`)
	})
	// The rows of a table lie in its key's order: they are the index.
	Function("pg_indexes_size", ts(tRegclass), tInt8, func(c *Call) (types.Datum, error) {
		if classByOID(c.snap, c.oid(0)) == nil {
			return null, nil
		}
		return num(0), nil
	})
	all := func(c *Call) (types.Datum, error) {
		var sum int64
		for _, t := range c.snap.Tables() {
			n, err := c.TableBytes(c.env.Ctx, t)
			if err != nil {
				return null, err
			}
			sum += n
		}
		return num(sum), nil
	}
	Function("pg_database_size", ts(tName), tInt8, func(c *Call) (types.Datum, error) {
		if _, err := c.database(0); err != nil {
			return null, err
		}
		return all(c)
	})
	Function("pg_database_size", ts(tOID), tInt8, func(c *Call) (types.Datum, error) {
		if c.oid(0) != databaseOID {
			return null, nil
		}
		return all(c)
	})
	Function("pg_tablespace_size", ts(tName), tInt8, func(c *Call) (types.Datum, error) {
		id, err := c.tablespace(0)
		if err != nil || id != defaultSpace {
			return num(0), err
		}
		return all(c)
	})
	Function("pg_tablespace_size", ts(tOID), tInt8, func(c *Call) (types.Datum, error) {
		switch c.oid(0) {
		case defaultSpace:
			return all(c)
		case globalSpace:
			return num(0), nil
		}
		return null, nil
	})
}
