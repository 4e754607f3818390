package pgcatalog

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Whether a name without a schema finds an object, and who may do what with it. They give
// NULL for an OID that nothing has.

func init() {
	function("pg_table_is_visible", ts(tOID), tBool, func(c *call) (types.Datum, error) {
		x := classByOID(c.snap, c.oid(0))
		if x == nil {
			return null, nil
		}
		return yes(x.visible(c.snap, c.path())), nil
	})
	builtinVisible := func(name string, there func(b *builtinFacts, id uint32) bool) {
		function(name, ts(tOID), tBool, func(c *call) (types.Datum, error) {
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
		function("pg_"+name+"_is_visible", ts(tOID), tBool, fixed(null))
	}
	function("pg_type_is_visible", ts(tOID), tBool, func(c *call) (types.Datum, error) {
		switch id := c.oid(0); {
		case builtins().typeByOID[id] != nil:
			return yes(true), nil
		case slices.ContainsFunc(domainFacts(), func(d domainFact) bool { return d.oid == id }):
			return yes(slices.Contains(c.path(), "information_schema")), nil
		}
		return null, nil
	})
	privileges()
}

// privilegeKind says of what objects privileges are asked for.
type privilegeKind struct {
	name  string // has_NAME_privilege
	words []string
	// find gives an object by name, with its error where there is none; exists says
	// whether an OID is one's.
	find   func(c *call, arg int) (uint32, error)
	exists func(c *call, id uint32) bool
}

var privilegeKinds = []privilegeKind{
	{"table", []string{"SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "RULE"}, (*call).relation, isClass},
	{"any_column", []string{"SELECT", "INSERT", "UPDATE", "REFERENCES"}, (*call).relation, isClass},
	{"sequence", []string{"USAGE", "SELECT", "UPDATE"}, (*call).relation, isClass},
	{"schema", []string{"CREATE", "USAGE"}, (*call).schema, func(c *call, id uint32) bool { return schemaName(c.snap, id) != "" }},
	{"database", []string{"CREATE", "CONNECT", "TEMPORARY", "TEMP"}, (*call).database, func(_ *call, id uint32) bool { return id == databaseOID }},
	{"function", []string{"EXECUTE"}, objectOf(types.Regprocedure), func(_ *call, id uint32) bool { return builtins().procByOID[id] != nil }},
	{"type", []string{"USAGE"}, objectOf(types.Regtype), func(_ *call, id uint32) bool { return builtins().typeByOID[id] != nil }},
	{"tablespace", []string{"CREATE"}, (*call).tablespace, func(_ *call, id uint32) bool { return id == defaultSpace || id == globalSpace }},
	{"language", []string{"USAGE"}, (*call).language, func(_ *call, id uint32) bool { return id == internalLanguage }},
}

func isClass(c *call, id uint32) bool { return classByOID(c.snap, id) != nil }

// privileges registers has_…_privilege. Every user may do everything.
func privileges() {
	for _, k := range privilegeKinds {
		name := "has_" + k.name + "_privilege"
		for _, byName := range []bool{true, false} {
			object := tText
			if !byName {
				object = tOID
			}
			check := func(c *call, at int) (types.Datum, error) {
				if byName {
					if _, err := k.find(c, at); err != nil {
						return null, err
					}
				} else if !k.exists(c, c.oid(at)) {
					return null, nil
				}
				return yes(true), knownPrivileges(c.text(at+1), k.words)
			}
			function(name, ts(object, tText), tBool, func(c *call) (types.Datum, error) { return check(c, 0) })
			for _, user := range []types.T{tName, tOID} {
				function(name, ts(user, object, tText), tBool, func(c *call) (types.Datum, error) {
					if err := c.user(user == tName); err != nil {
						return null, err
					}
					return check(c, 1)
				})
			}
		}
	}
	columnPrivilege()
	for _, user := range [][]types.T{ts(), ts(tName), ts(tOID)} {
		for _, role := range []types.T{tName, tOID} {
			function("pg_has_role", append(append(ts(), user...), role, tText), tBool, func(c *call) (types.Datum, error) {
				at := len(c.args) - 2
				if role == tName && !slices.Contains(users(c), c.text(at)) {
					return null, undefinedObject(`role "%s" does not exist`, c.text(at))
				}
				return yes(true), knownPrivileges(c.text(at+1), []string{"MEMBER", "USAGE"})
			})
		}
	}
	overloads("row_security_active", tBool, fixed(yes(false)), ts(tOID), ts(tText))
}

// columnPrivilege is has_column_privilege([user,] table, column, privilege).
func columnPrivilege() {
	words := []string{"SELECT", "INSERT", "UPDATE", "REFERENCES"}
	for _, user := range [][]types.T{ts(), ts(tName), ts(tOID)} {
		for _, table := range []types.T{tText, tOID} {
			for _, column := range []types.T{tText, tInt2} {
				function("has_column_privilege", append(append(ts(), user...), table, column, tText), tBool, func(c *call) (types.Datum, error) {
					at := len(c.args) - 3
					id := c.oid(at)
					if table == tText {
						var err error
						if id, err = c.relation(at); err != nil {
							return null, err
						}
					}
					x := classByOID(c.snap, id)
					if x == nil {
						return null, nil
					}
					found := slices.ContainsFunc(x.attributes(), func(a attribute) bool {
						return column == tText && a.name == c.text(at+1) || column == tInt2 && int64(a.num) == c.args[at+1].Int
					})
					switch {
					case !found && column == tText:
						return null, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, c.text(at+1), x.name)
					case !found:
						return null, nil
					}
					return yes(true), knownPrivileges(c.text(at+2), words)
				})
			}
		}
	}
}

// knownPrivileges checks a list of privileges with commas between them: 22023.
func knownPrivileges(list string, words []string) error {
	for _, w := range strings.Split(list, ",") {
		w = strings.TrimSpace(w)
		word := strings.ToUpper(w)
		for _, option := range []string{" WITH GRANT OPTION", " WITH ADMIN OPTION"} {
			word = strings.TrimSuffix(word, option)
		}
		if !slices.Contains(words, word) {
			return sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized privilege type: "%s"`, w)
		}
	}
	return nil
}

// user checks the first argument: 42704 for the name of no user. An OID that nobody has
// is the user's who may do nothing, but there is nothing that may not be done.
func (c *call) user(byName bool) error {
	if name := c.text(0); byName && name != "public" && !slices.Contains(users(c), name) {
		return undefinedObject(`role "%s" does not exist`, name)
	}
	return nil
}

func (c *call) schema(arg int) (uint32, error) {
	id := schemaOID(c.snap, c.text(arg))
	if id == 0 {
		return 0, sqlerr.New(sqlerr.InvalidSchemaName, `schema "%s" does not exist`, c.text(arg))
	}
	return id, nil
}

func (c *call) database(arg int) (uint32, error) {
	if c.text(arg) != c.Database() {
		return 0, sqlerr.New(sqlerr.InvalidCatalogName, `database "%s" does not exist`, c.text(arg))
	}
	return databaseOID, nil
}

func (c *call) tablespace(arg int) (uint32, error) {
	switch c.text(arg) {
	case "pg_default":
		return defaultSpace, nil
	case "pg_global":
		return globalSpace, nil
	}
	return 0, undefinedObject(`tablespace "%s" does not exist`, c.text(arg))
}

func (c *call) language(arg int) (uint32, error) {
	if c.text(arg) != "internal" {
		return 0, undefinedObject(`language "%s" does not exist`, c.text(arg))
	}
	return internalLanguage, nil
}

func objectOf(k types.Kind) func(c *call, arg int) (uint32, error) {
	return func(c *call, arg int) (uint32, error) {
		d, err := types.ParseText(types.Of(k), c.args[arg].Bytes, &types.IOEnv{Names: c.env.Names})
		return uint32(d.Int), err
	}
}
