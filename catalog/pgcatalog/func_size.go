package pgcatalog

import (
	"context"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// ownSize is what a relation itself takes in the store. The rows of a table lie in its key's
// order: they are the primary key's index, which takes nothing.
func ownSize(ctx context.Context, w World, c *Class) (int64, error) {
	switch {
	case c.Table != nil:
		return w.StoredBytes(ctx, c.Table.Physical)
	case c.Index != nil && c.Index.def != nil:
		return w.StoredBytes(ctx, c.Index.def.Physical)
	}
	return 0, nil
}

// indexesSize is what the indexes of a table take.
func indexesSize(ctx context.Context, w World, c *Class) (sum int64, err error) {
	if c.Table == nil {
		return 0, nil
	}
	for i := range c.Table.Indexes {
		if ix := &c.Table.Indexes[i]; ix.Kept() {
			n, err := w.StoredBytes(ctx, ix.Physical)
			if err != nil {
				return 0, err
			}
			sum += n
		}
	}
	return sum, nil
}

// totalSize is both.
func totalSize(ctx context.Context, w World, c *Class) (int64, error) {
	n, err := ownSize(ctx, w, c)
	if err != nil {
		return 0, err
	}
	of, err := indexesSize(ctx, w, c)
	return n + of, err
}

func sizes() {
	// Of a relation that is not there a size is NULL.
	measured := func(measure func(ctx context.Context, w World, c *Class) (int64, error)) func(c *Call) (types.Datum, error) {
		return func(c *Call) (types.Datum, error) {
			class := classByOID(c.snap, c.oid(0))
			if class == nil {
				return null, nil
			}
			n, err := measure(c.env.Ctx, c, class)
			if err != nil {
				return null, err
			}
			return num(n), nil
		}
	}
	size := measured(ownSize)
	Function("pg_relation_size", ts(tRegclass), tInt8, size)
	Function("pg_table_size", ts(tRegclass), tInt8, size)
	Function("pg_indexes_size", ts(tRegclass), tInt8, measured(indexesSize))
	Function("pg_total_relation_size", ts(tRegclass), tInt8, measured(totalSize))
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
	all := func(c *Call) (types.Datum, error) {
		var sum int64
		for _, t := range c.snap.Tables() {
			n, err := totalSize(c.env.Ctx, c, classOf(t))
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
