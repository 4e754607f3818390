package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/catalog/part"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// saltsql.parts(table, n): the predicates by which n readers read a table side by side.

func init() {
	tBytea := types.Of(types.Bytea)
	columns := []expr.SetColumn{{Name: "part", T: tInt4}, {Name: "predicate", T: tText}, {Name: "bucket", T: tInt4},
		{Name: "key_from", T: tBytea}, {Name: "key_to", T: tBytea}, {Name: "rows", T: tInt8}, {Name: "bytes", T: tInt8}}
	setOf(OwnSchema+".parts", ts(tRegclass), columns, parts)
	setOf(OwnSchema+".parts", ts(tRegclass, tInt8), columns, parts)
	builtin.RegisterFunc("pg_export_snapshot", nil, tText, true, false, func(env *expr.Env, _ []types.T, _ []types.Datum) (types.Datum, error) {
		w, ok := env.Session.(World)
		if !ok {
			return null, unanswerable("pg_export_snapshot")
		}
		id, err := w.ExportSnapshot(env.Ctx)
		return text(id), err
	})
	expr.RegisterArgNames(OwnSchema+".parts", expr.ArgName{Name: "table"}, expr.ArgName{Name: "n"})
}

// parts gives a row for each part, without n for each bucket: 42P01 and 42809 for what is no table, 42501 for one that the role may not read.
func parts(c *Call) ([][]types.Datum, error) {
	x := classByOID(c.snap, c.oid(0))
	if x == nil {
		return nil, sqlerr.New(sqlerr.UndefinedTable, "relation with OID %d does not exist", c.oid(0))
	}
	t := c.snap.TableByID(c.oid(0))
	if t == nil {
		return nil, sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a table`, x.Name).WithHint("Parts are of tables and materialized views.")
	}
	if !mayAskOf(c, x, acl.Select) {
		return nil, catalog.Denied("table", t.Name)
	}
	n := int64(max(t.Buckets(), 1))
	if len(c.Args) > 1 {
		n = c.Args[1].Int
	}
	list, err := c.Parts(c.env.Ctx, t, n)
	if err != nil {
		return nil, err
	}
	// What is not known, or has no bound, is NULL.
	known := func(n int64) types.Datum {
		if n < 0 {
			return null
		}
		return num(n)
	}
	key := func(k []byte) types.Datum {
		if len(k) == 0 {
			return null
		}
		return types.NewBytes(k)
	}
	rows := make([][]types.Datum, len(list))
	for i := range list {
		p := &list[i]
		rows[i] = []types.Datum{num(i + 1), text(OwnSchema + ".part(" + ident.Quote(t.Name) + ") = '" + part.Token(t, p.Spans) + "'"),
			known(int64(p.Bucket)), key(p.From()), key(p.To()), known(p.Rows), known(p.Bytes)}
	}
	return rows, nil
}
