package pgcatalog

import (
	"slices"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Whether a name without a schema finds an object. They give NULL for an OID that nothing has.

func init() {
	Function("pg_table_is_visible", ts(tOID), tBool, func(c *Call) (types.Datum, error) {
		x := classByOID(c.snap, c.oid(0))
		if x == nil {
			return null, nil
		}
		return yes(x.visible(c.snap, c.path())), nil
	})
	builtinVisible := func(name string, there func(b *builtinFacts, id uint32) bool) {
		Function(name, ts(tOID), tBool, func(c *Call) (types.Datum, error) {
			if there(builtins(), c.oid(0)) {
				return yes(true), nil // pg_catalog is always searched
			}
			return null, nil
		})
	}
	builtinVisible("pg_function_is_visible", func(b *builtinFacts, id uint32) bool { return b.procByOID[id] != nil })
	builtinVisible("pg_operator_is_visible", func(b *builtinFacts, id uint32) bool { return b.opByOID[id] != nil })
	builtinVisible("pg_opclass_is_visible", func(b *builtinFacts, id uint32) bool {
		return slices.ContainsFunc(b.opclasses, func(x *opclassFact) bool { return x.oid == id })
	})
	builtinVisible("pg_opfamily_is_visible", func(b *builtinFacts, id uint32) bool {
		return slices.ContainsFunc(b.opfamily, func(x *opfamilyFact) bool { return x.oid == id })
	})
	builtinVisible("pg_collation_is_visible", func(_ *builtinFacts, id uint32) bool {
		return id == defaultCollation || id == cCollation || id == posixCollation
	})
	for _, name := range []string{"conversion", "statistics_obj", "ts_parser", "ts_dict", "ts_template", "ts_config"} {
		Function("pg_"+name+"_is_visible", ts(tOID), tBool, fixed(null))
	}
	Function("pg_type_is_visible", ts(tOID), tBool, func(c *Call) (types.Datum, error) {
		switch id := c.oid(0); {
		case builtins().typeByOID[id] != nil:
			return yes(true), nil
		case slices.ContainsFunc(DomainFacts(), func(d DomainFact) bool { return d.OID == id }):
			return yes(slices.Contains(c.path(), "information_schema")), nil
		}
		if visible, ok := userTypeVisible(c.snap, c.path(), c.oid(0)); ok {
			return yes(visible), nil
		}
		return null, nil
	})
	privileges()
}

func (c *Call) schema(arg int) (uint32, error) {
	id := SchemaOID(c.snap, c.text(arg))
	if id == 0 {
		return 0, sqlerr.New(sqlerr.InvalidSchemaName, `schema "%s" does not exist`, c.text(arg))
	}
	return id, nil
}

func (c *Call) database(arg int) (uint32, error) {
	if c.text(arg) != c.Database() {
		return 0, sqlerr.New(sqlerr.InvalidCatalogName, `database "%s" does not exist`, c.text(arg))
	}
	return databaseOID, nil
}

func (c *Call) tablespace(arg int) (uint32, error) {
	switch c.text(arg) {
	case "pg_default":
		return defaultSpace, nil
	case "pg_global":
		return globalSpace, nil
	}
	return 0, undefinedObject(`tablespace "%s" does not exist`, c.text(arg))
}

func (c *Call) language(arg int) (uint32, error) {
	if c.text(arg) != "internal" {
		return 0, undefinedObject(`language "%s" does not exist`, c.text(arg))
	}
	return internalLanguage, nil
}

func objectOf(k types.Kind) func(c *Call, arg int) (uint32, error) {
	return func(c *Call, arg int) (uint32, error) {
		d, err := types.ParseText(types.Of(k), c.Args[arg].Bytes, &types.IOEnv{Names: c.env.Names})
		return uint32(d.Int), err
	}
}
