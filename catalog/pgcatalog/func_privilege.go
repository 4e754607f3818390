package pgcatalog

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// has_…_privilege: who may do what. They give NULL for an OID that nothing has.

// privilegeKind says of what objects privileges are asked for.
type privilegeKind struct {
	name string // has_NAME_privilege
	all  acl.Right
	// find gives an object by name, with its error where there is none; exists says
	// whether an OID is one's.
	find   func(c *Call, arg int) (uint32, error)
	exists func(c *Call, id uint32) bool
	// held gives the rights of a role, and those that it may grant.
	held func(c *Call, role, id uint32) (rights, options acl.Right)
}

var privilegeKinds = []privilegeKind{
	{"table", acl.Table.All(), (*Call).relation, isClass, heldOnClass},
	{"any_column", acl.Column.All(), (*Call).relation, isClass, heldOnAnyColumn},
	{"sequence", acl.Sequence.All(), (*Call).relation, isClass, heldOnClass},
	{"schema", acl.Schema.All(), (*Call).schema, func(c *Call, id uint32) bool { return schemaName(c.snap, id) != "" },
		func(c *Call, role, id uint32) (acl.Right, acl.Right) {
			return c.snap.SchemaRights(role, schemaName(c.snap, id))
		}},
	{"database", acl.Database.All(), (*Call).database, func(_ *Call, id uint32) bool { return id == databaseOID },
		func(c *Call, role, _ uint32) (acl.Right, acl.Right) { return c.snap.DatabaseRights(role) }},
	{"function", acl.Execute, objectOf(types.Regprocedure), func(_ *Call, id uint32) bool { return builtins().procByOID[id] != nil }, heldByAll},
	{"type", acl.Usage, objectOf(types.Regtype), isType, heldOnType},
	{"tablespace", acl.Create, (*Call).tablespace, func(_ *Call, id uint32) bool { return id == defaultSpace || id == globalSpace }, heldBySuperusers},
	{"language", acl.Usage, (*Call).language, func(_ *Call, id uint32) bool { return id == internalLanguage }, heldByAll},
}

func isType(c *Call, id uint32) bool {
	of, _ := classOfRowType(c.snap, id)
	return builtins().typeByOID[id] != nil || userType(c.snap, id) != nil || of != nil
}

// userType finds a type of users by its OID, or by that of its arrays; nil if there is none.
func userType(s *catalog.Snapshot, id uint32) *catalog.Type {
	i := slices.IndexFunc(s.Types(), func(t *catalog.Type) bool { return t.ID == id || t.ArrayID == id })
	if i < 0 {
		return nil
	}
	return s.Types()[i]
}

// heldOnType gives the rights on a type: those on arrays are those on what is in them.
func heldOnType(c *Call, role, id uint32) (acl.Right, acl.Right) {
	if t := userType(c.snap, id); t != nil {
		return c.snap.TypeRights(role, t)
	}
	return heldByAll(c, role, id)
}

func isClass(c *Call, id uint32) bool { return classByOID(c.snap, id) != nil }

func heldOnClass(c *Call, role, id uint32) (acl.Right, acl.Right) {
	return c.snap.RelationRights(role, classByOID(c.snap, id).Relation())
}

func heldOnAnyColumn(c *Call, role, id uint32) (rights, options acl.Right) {
	r := classByOID(c.snap, id).Relation()
	rights, options = c.snap.RelationRights(role, r)
	if t, ok := r.(*catalog.Table); ok {
		for i := range t.Columns {
			have, may := c.snap.ColumnRights(role, t, t.Columns[i].ID)
			rights, options = rights|have, options|may
		}
	}
	return rights, options
}

func heldByAll(c *Call, role, _ uint32) (acl.Right, acl.Right) {
	if c.snap.IsSuperuser(role) {
		return ^acl.None, ^acl.None
	}
	return acl.Execute | acl.Usage, acl.None
}

func heldBySuperusers(c *Call, role, _ uint32) (acl.Right, acl.Right) {
	if c.snap.IsSuperuser(role) {
		return ^acl.None, ^acl.None
	}
	return acl.None, acl.None
}

// asked is a privilege that is asked for.
type asked struct {
	right  acl.Right
	option bool // WITH GRANT OPTION
}

// privilegesAsked reads a list with commas between: 22023. Any of them will do.
func privilegesAsked(list string, all acl.Right) ([]asked, error) {
	var out []asked
	for _, w := range strings.Split(list, ",") {
		w = strings.TrimSpace(w)
		word, option := strings.CutSuffix(strings.ToLower(w), " with grant option")
		right := acl.Named(word)
		if word == "rule" && all == acl.Table.All() {
			out = append(out, asked{}) // nobody has it any more
			continue
		}
		if right&all == 0 {
			return nil, sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized privilege type: "%s"`, w)
		}
		out = append(out, asked{right, option})
	}
	return out, nil
}

func anyHeld(list []asked, rights, options acl.Right) types.Datum {
	return yes(slices.ContainsFunc(list, func(a asked) bool {
		return a.option && options&a.right != 0 || !a.option && rights&a.right != 0
	}))
}

// privileges registers has_…_privilege.
func privileges() {
	for _, k := range privilegeKinds {
		name := "has_" + k.name + "_privilege"
		for _, byName := range []bool{true, false} {
			object := tText
			if !byName {
				object = tOID
			}
			check := func(c *Call, role uint32, at int) (types.Datum, error) {
				var id uint32
				if byName {
					var err error
					if id, err = k.find(c, at); err != nil {
						return null, err
					}
				}
				list, err := privilegesAsked(c.text(at+1), k.all)
				if err != nil {
					return null, err
				}
				if !byName {
					if id = c.oid(at); !k.exists(c, id) {
						return null, nil
					}
				}
				if x := classByOID(c.snap, id); k.name == "sequence" && x != nil && x.seq == nil {
					shown := x.Name
					if byName {
						shown = c.text(at)
					}
					return null, sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a sequence`, shown)
				}
				rights, options := k.held(c, role, id)
				return anyHeld(list, rights, options), nil
			}
			Function(name, ts(object, tText), tBool, func(c *Call) (types.Datum, error) { return check(c, c.Role(), 0) })
			for _, user := range []types.T{tName, tOID} {
				Function(name, ts(user, object, tText), tBool, func(c *Call) (types.Datum, error) {
					role, err := c.user(user == tName)
					if err != nil {
						return null, err
					}
					return check(c, role, 1)
				})
			}
		}
	}
	columnPrivilege()
	parameterPrivilege()
	hasRole()
	overloads("row_security_active", tBool, fixed(yes(false)), ts(tOID), ts(tText))
}

// parameterPrivilege is has_parameter_privilege([user,] parameter, privilege): no rights on
// parameters are granted, so that superusers have them all and others none, as in PostgreSQL
// those parameters that everybody may set are not asked for.
func parameterPrivilege() {
	for _, user := range [][]types.T{ts(), ts(tName), ts(tOID)} {
		Function("has_parameter_privilege", append(append(ts(), user...), tText, tText), tBool, func(c *Call) (types.Datum, error) {
			who := c.Role()
			if len(user) > 0 {
				var err error
				if who, err = c.user(user[0] == tName); err != nil {
					return null, err
				}
			}
			for _, w := range strings.Split(c.text(len(c.Args)-1), ",") {
				w = strings.TrimSpace(w)
				switch word, _ := strings.CutSuffix(strings.ToUpper(w), " WITH GRANT OPTION"); word {
				case "SET", "ALTER SYSTEM":
				default:
					return null, sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized privilege type: "%s"`, w)
				}
			}
			return yes(c.snap.IsSuperuser(who)), nil
		})
	}
}

// hasRole is pg_has_role([user,] role, privilege).
func hasRole() {
	for _, user := range [][]types.T{ts(), ts(tName), ts(tOID)} {
		for _, role := range []types.T{tName, tOID} {
			Function("pg_has_role", append(append(ts(), user...), role, tText), tBool, func(c *Call) (types.Datum, error) {
				at := len(c.Args) - 2
				who := c.Role()
				if at > 0 {
					var err error
					if who, err = c.user(user[0] == tName); err != nil {
						return null, err
					}
				}
				in := c.oid(at)
				if role == tName {
					var err error
					if in, err = c.roleArg(at); err != nil {
						return null, err
					}
				}
				in = actsAs(c, c.snap, in)
				has := false
				for _, w := range strings.Split(c.text(at+1), ",") {
					w = strings.TrimSpace(w)
					switch strings.ToUpper(w) {
					case "USAGE":
						has = has || c.snap.HasPrivsOf(who, in)
					case "MEMBER":
						has = has || c.snap.IsMember(who, in)
					case "USAGE WITH GRANT OPTION", "USAGE WITH ADMIN OPTION", "MEMBER WITH GRANT OPTION", "MEMBER WITH ADMIN OPTION":
						has = has || c.snap.IsAdmin(who, in)
					default:
						return null, sqlerr.New(sqlerr.InvalidParameterValue, `unrecognized privilege type: "%s"`, w)
					}
				}
				return yes(has), nil
			})
		}
	}
}

// columnPrivilege is has_column_privilege([user,] table, column, privilege).
func columnPrivilege() {
	for _, user := range [][]types.T{ts(), ts(tName), ts(tOID)} {
		for _, table := range []types.T{tText, tOID} {
			for _, column := range []types.T{tText, tInt2} {
				Function("has_column_privilege", append(append(ts(), user...), table, column, tText), tBool, func(c *Call) (types.Datum, error) {
					at := len(c.Args) - 3
					role := c.Role()
					var err error
					if at > 0 {
						if role, err = c.user(user[0] == tName); err != nil {
							return null, err
						}
					}
					id := c.oid(at)
					if table == tText {
						if id, err = c.relation(at); err != nil {
							return null, err
						}
					}
					x := classByOID(c.snap, id)
					if x == nil {
						return null, nil
					}
					attributes := x.Attributes()
					i := slices.IndexFunc(attributes, func(a Attribute) bool {
						return column == tText && a.Name == c.text(at+1) || column == tInt2 && int64(a.Num) == c.Args[at+1].Int
					})
					switch {
					case i < 0 && column == tText:
						return null, sqlerr.New(sqlerr.UndefinedColumn, `column "%s" of relation "%s" does not exist`, c.text(at+1), x.Name)
					case i < 0:
						return null, nil
					}
					list, err := privilegesAsked(c.text(at+2), acl.Column.All())
					if err != nil {
						return null, err
					}
					rights, options := c.snap.RelationRights(role, x.Relation())
					more, may := c.snap.ColumnRights(role, x.Relation(), attributes[i].Num)
					return anyHeld(list, rights|more, options|may), nil
				})
			}
		}
	}
}

// user gives the role that the first argument stands for: 42704 for the name of none. An OID that
// nobody has, and the name public, are of who has the rights of everybody.
func (c *Call) user(byName bool) (uint32, error) {
	if !byName {
		return actsAs(c, c.snap, c.oid(0)), nil
	}
	if c.text(0) == "public" {
		return acl.Public, nil
	}
	id, err := c.roleArg(0)
	return actsAs(c, c.snap, id), err
}

// roleArg finds the role that an argument names.
func (c *Call) roleArg(arg int) (uint32, error) {
	id, ok := roleNamed(c, c.snap, c.text(arg))
	if !ok {
		return 0, undefinedObject(`role "%s" does not exist`, c.text(arg))
	}
	return id, nil
}
