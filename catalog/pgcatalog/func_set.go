package pgcatalog

import (
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Set-returning functions.

// setOf registers a function that gives no rows for a NULL argument.
func setOf(name string, args []types.T, cols []expr.SetColumn, rows func(c *Call) ([][]types.Datum, error)) {
	builtin.RegisterSet(name, args, true, cols, func(env *expr.Env, _ []types.T, a []types.Datum) ([][]types.Datum, error) {
		w, ok := env.Session.(World)
		if !ok {
			return nil, unanswerable(name)
		}
		return rows(&Call{World: w, env: env, snap: w.Snapshot(), Args: a})
	})
}

func init() {
	set := setOf
	none := func(*Call) ([][]types.Datum, error) { return nil, nil }
	set("pg_get_keywords", ts(), []expr.SetColumn{{Name: "word", T: tText}, {Name: "catcode", T: tChar}, {Name: "barelabel", T: tBool},
		{Name: "catdesc", T: tText}, {Name: "baredesc", T: tText}}, keywords)
	set("pg_options_to_table", ts(tTexts), []expr.SetColumn{{Name: "option_name", T: tText}, {Name: "option_value", T: tText}},
		func(c *Call) ([][]types.Datum, error) {
			var rows [][]types.Datum
			for _, e := range c.Args[0].Array.Elems {
				name, value, ok := strings.Cut(string(e.Bytes), "=")
				v := null
				if ok {
					v = text(value)
				}
				rows = append(rows, []types.Datum{text(name), v})
			}
			return rows, nil
		})
	set("aclexplode", ts(tACLs), []expr.SetColumn{{Name: "grantor", T: tOID}, {Name: "grantee", T: tOID}, {Name: "privilege_type", T: tText},
		{Name: "is_grantable", T: tBool}}, explodeACL)
	set("pg_listening_channels", ts(), []expr.SetColumn{{T: tText}}, func(c *Call) ([][]types.Datum, error) {
		var rows [][]types.Datum
		for _, channel := range c.Channels() {
			rows = append(rows, []types.Datum{text(channel)})
		}
		return rows, nil
	})
	set("pg_tablespace_databases", ts(tOID), []expr.SetColumn{{T: tOID}}, func(c *Call) ([][]types.Datum, error) {
		if c.oid(0) != defaultSpace {
			return nil, nil
		}
		return [][]types.Datum{{oid(databaseOID)}}, nil
	})
	set("pg_partition_ancestors", ts(tRegclass), []expr.SetColumn{{T: tRegclass}}, none) // there are no partitions
	Function("pg_partition_root", ts(tRegclass), tRegclass, fixed(null))
	set("pg_partition_tree", ts(tRegclass), []expr.SetColumn{{Name: "relid", T: tRegclass}, {Name: "parentrelid", T: tRegclass}, {Name: "isleaf", T: tBool},
		{Name: "level", T: tInt4}}, none)
	set("pg_available_extensions", ts(), []expr.SetColumn{{Name: "name", T: tName}, {Name: "default_version", T: tText}, {Name: "comment", T: tText}},
		func(*Call) ([][]types.Datum, error) {
			var rows [][]types.Datum
			for _, e := range catalog.Extensions {
				rows = append(rows, []types.Datum{text(e.Name), text(e.Version), text(e.Comment)})
			}
			return rows, nil
		})
	set("pg_available_extension_versions", ts(), []expr.SetColumn{{Name: "name", T: tName}, {Name: "version", T: tText}, {Name: "superuser", T: tBool},
		{Name: "trusted", T: tBool}, {Name: "relocatable", T: tBool}, {Name: "schema", T: tName}, {Name: "requires", T: types.ArrayOf(tName)}, {Name: "comment", T: tText}},
		func(*Call) ([][]types.Datum, error) {
			var rows [][]types.Datum
			for _, e := range catalog.Extensions {
				rows = append(rows, []types.Datum{text(e.Name), text(e.Version), yes(true), yes(false), yes(false), text(e.Schema), null, text(e.Comment)})
			}
			return rows, nil
		})
	set("pg_sequence_parameters", ts(tOID), []expr.SetColumn{{Name: "start_value", T: tInt8}, {Name: "minimum_value", T: tInt8},
		{Name: "maximum_value", T: tInt8}, {Name: "increment", T: tInt8}, {Name: "cycle_option", T: tBool}, {Name: "cache_size", T: tInt8},
		{Name: "data_type", T: tOID}}, sequenceParameters)
}

func init() {
	// Not of pg_catalog: the elements of an array with their places.
	builtin.RegisterSet("information_schema._pg_expandarray", ts(builtin.AnyArray), true,
		[]expr.SetColumn{{Name: "x", T: builtin.AnyElement}, {Name: "n", T: tInt4}},
		func(_ *expr.Env, _ []types.T, a []types.Datum) ([][]types.Datum, error) {
			rows := make([][]types.Datum, len(a[0].Array.Elems))
			for i, e := range a[0].Array.Elems {
				rows[i] = []types.Datum{e, num(i + 1)}
			}
			return rows, nil
		})
}

// explodeACL gives a row for each right of each item.
func explodeACL(c *Call) ([][]types.Datum, error) {
	var rows [][]types.Datum
	for _, e := range c.Args[0].Array.Elems {
		if e.Null {
			return nil, sqlerr.New(sqlerr.NullValueNotAllowed, "ACL arrays must not contain null values")
		}
		it, ok := acl.ParseItem(string(e.Bytes), func(name string) (uint32, bool) { return roleNamed(c, c.snap, name) })
		if !ok {
			return nil, sqlerr.New(sqlerr.InvalidTextRepresentation, "%q is not an item of a list of rights", e.Bytes)
		}
		for _, right := range it.Rights.Each() {
			rows = append(rows, []types.Datum{oid(it.Grantor), oid(it.Grantee), text(right.Word()), yes(it.Options&right != 0)})
		}
	}
	return rows, nil
}

func keywords(*Call) ([][]types.Datum, error) {
	categories := map[byte]string{'U': "unreserved", 'C': "unreserved (cannot be function or type name)",
		'T': "reserved (can be function or type name)", 'R': "reserved"}
	var rows [][]types.Datum
	for _, k := range keywordFacts() {
		bare := "requires AS"
		if k.bare {
			bare = "can be bare label"
		}
		rows = append(rows, []types.Datum{text(k.word), char(k.category), yes(k.bare), text(categories[k.category]), text(bare)})
	}
	return rows, nil
}

// mayAskOf says whether the role has one of some rights on a relation; of an index its table's owner has.
func mayAskOf(c *Call, x *Class, any acl.Right) bool {
	if x.Index != nil {
		return c.snap.HasPrivsOf(c.Role(), x.Index.Table.Owner)
	}
	r := c.snap.ByID(x.OID)
	if r == nil {
		return true // PostgreSQL's own
	}
	rights, _ := c.snap.RelationRights(c.Role(), r)
	return rights&any != 0
}

func sequenceParameters(c *Call) ([][]types.Datum, error) {
	x := classByOID(c.snap, c.oid(0))
	if x != nil && !mayAskOf(c, x, acl.Usage|acl.Select|acl.Update) { // asked of what is no sequence too
		return nil, catalog.Denied("sequence", x.Name)
	}
	if x == nil || x.seq == nil {
		return nil, undefinedObject("could not open relation with OID %d", c.oid(0))
	}
	s := x.seq
	return [][]types.Datum{{num(s.Start), num(s.Min), num(s.Max), num(s.Increment), yes(s.Cycle), num(s.Cache), oid(types.Of(s.Type).OID())}}, nil
}
