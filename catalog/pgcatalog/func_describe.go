package pgcatalog

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/types"
)

// describeObject is pg_describe_object: what messages call an object; NULL for none.
func describeObject(c *Call) (types.Datum, error) {
	switch c.oid(0) {
	case classClass:
		x := classByOID(c.snap, c.oid(1))
		if x == nil {
			return null, nil
		}
		word := map[byte]string{'r': "table", 'v': "view", 'm': "materialized view", 'S': "sequence", 'i': "index"}[x.Kind]
		shown := word + " " + x.shown(c.snap, c.path())
		if sub := int(c.Args[2].Int); sub != 0 {
			for _, a := range x.Attributes() {
				if a.Num == sub {
					return text("column " + a.Name + " of " + shown), nil
				}
			}
		}
		return text(shown), nil
	case classNamespace:
		if name := schemaName(c.snap, c.oid(1)); name != "" {
			return text("schema " + name), nil
		}
	case classConstraint:
		if k := constraintByOID(c.snap, c.oid(1)); k != nil {
			return text("constraint " + k.Name + " on table " + classOf(k.table).shown(c.snap, c.path())), nil
		}
		for _, t := range c.snap.Types() {
			if k := domainCheck(t, c.oid(1)); k != nil {
				return text("constraint " + k.Name), nil
			}
		}
	case classAuthid:
		if r := c.snap.RoleByID(c.oid(1)); r != nil {
			return text("role " + r.Name), nil
		}
	case classDatabase:
		if c.oid(1) == databaseOID {
			return text("database " + c.env.Database), nil
		}
	case classExtension:
		described := null
		err := eachExtension(func(e *catalog.Extension, id, _ uint32) error {
			if id == c.oid(1) {
				described = text("extension " + e.Name)
			}
			return nil
		})
		if err != nil || !described.Null {
			return described, err
		}
	case classOperator:
		if name, ok := (Names{}).ObjectName(types.Regoperator, c.oid(1)); ok {
			return text("operator " + name), nil
		}
	case classAttrdef:
		t := findPart(c.snap, c.oid(1), func(t *catalog.Table) bool { return defaultColumn(t, c.oid(1)) != nil })
		if t != nil {
			return text("default value for column " + defaultColumn(t, c.oid(1)).Name + " of table " + classOf(t).shown(c.snap, c.path())), nil
		}
	case classRewrite:
		for _, v := range c.snap.Queries() {
			if partOID(v.ID, partRule) == c.oid(1) {
				kind := "view "
				if v.Table != nil {
					kind = "materialized view "
				}
				return text("rule _RETURN on " + kind + classOf(v).shown(c.snap, c.path())), nil
			}
		}
	case classType:
		if t := shownType(c.snap, c.path(), c.oid(1), -1); t != "???" {
			return text("type " + t), nil
		}
	case classProc:
		if name, ok := (Names{}).ObjectName(types.Regprocedure, c.oid(1)); ok {
			return text("function " + name), nil
		}
	}
	return null, nil
}
