package pgcatalog

import (
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/acl"
	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/builtin"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Comments, sizes, and what else is asked of objects and the server.

func init() {
	comments()
	sizes()
	lookups()
	server()
}

// commentOn gives the comment on an object of a class, 0 is any.
func commentOn(s *catalog.Snapshot, class, id uint32, column int) string {
	if class == 0 || class == classNamespace {
		for _, sc := range s.Schemas() {
			if sc.ID == id && column == 0 {
				return sc.Comment
			}
		}
	}
	if t := s.TypeByID(id); t != nil && column == 0 && (class == 0 || class == classType) {
		return t.Comment
	}
	if column == 0 && (class == 0 || class == classConstraint) {
		if k := constraintByOID(s, id); k != nil {
			return k.comment()
		}
		for _, t := range s.Types() {
			if k := domainCheck(t, id); k != nil {
				return k.Comment
			}
		}
	}
	if class != 0 && class != classClass {
		return ""
	}
	c := classByOID(s, id)
	switch {
	case c == nil:
	case column == 0:
		return c.comment()
	default:
		for _, a := range c.Attributes() {
			if a.Num == column {
				return a.comment
			}
		}
	}
	return ""
}

func comments() {
	Function("obj_description", ts(tOID), tText, func(c *Call) (types.Datum, error) {
		return optional(commentOn(c.snap, 0, c.oid(0), 0)), nil
	})
	Function("obj_description", ts(tOID, tName), tText, func(c *Call) (types.Datum, error) {
		for _, r := range relations {
			if r.Schema == "pg_catalog" && r.Name == c.text(1) {
				return optional(commentOn(c.snap, r.ID, c.oid(0), 0)), nil
			}
		}
		return null, nil
	})
	Function("shobj_description", ts(tOID, tName), tText, func(c *Call) (types.Datum, error) {
		if r := c.snap.RoleByID(c.oid(0)); r != nil && c.text(1) == "pg_authid" {
			return optional(r.Comment), nil
		}
		return null, nil // databases and tablespaces have none
	})
	Function("col_description", ts(tOID, tInt4), tText, func(c *Call) (types.Datum, error) {
		if c.Args[1].Int == 0 {
			return null, nil
		}
		return optional(commentOn(c.snap, classClass, c.oid(0), int(c.Args[1].Int))), nil
	})
}

// lookups are to_reg… and other ways from a name to an object.
func lookups() {
	Function("oidvectortypes", ts(types.Of(types.Oidvector)), tText, func(c *Call) (types.Datum, error) {
		names := make([]string, len(c.Args[0].Array.Elems))
		for i, e := range c.Args[0].Array.Elems {
			names[i] = shownType(c.snap, c.path(), uint32(e.Int), -1)
		}
		return text(strings.Join(names, ", ")), nil
	})
	for _, k := range []types.Kind{types.Regproc, types.Regprocedure, types.Regoper, types.Regoperator, types.Regnamespace,
		types.Regrole, types.Regcollation} {
		Function("to_"+k.String(), ts(tText), types.Of(k), func(c *Call) (types.Datum, error) {
			d, err := types.ParseText(types.Of(k), c.Args[0].Bytes, &types.IOEnv{Names: c.env.Names})
			switch sqlerr.CodeOf(err) {
			case sqlerr.UndefinedFunction, sqlerr.UndefinedObject, sqlerr.InvalidSchemaName, sqlerr.AmbiguousFunction, sqlerr.UndefinedTable:
				return null, nil
			}
			return d, err
		})
	}
	Function("pg_relation_filenode", ts(tRegclass), tOID, func(c *Call) (types.Datum, error) {
		x := classByOID(c.snap, c.oid(0))
		if x == nil || x.fileNode() == 0 {
			return null, nil
		}
		return oid(x.fileNode()), nil
	})
	Function("pg_relation_filepath", ts(tRegclass), tText, fixed(null)) // rows lie in no file of their own
	updatable := func(c *Call) (types.Datum, error) {
		const insert, update, remove = 1 << 3, 1 << 2, 1 << 4
		if x := classByOID(c.snap, c.oid(0)); x != nil && x.Table != nil && x.Table.Materialized == nil {
			return num(insert | update | remove), nil
		} else if x != nil && x.View != nil && c.Updatable(x.View) != nil {
			return num(insert | update | remove), nil
		}
		return num(0), nil
	}
	Function("pg_relation_is_updatable", ts(tRegclass, tBool), tInt4, updatable)
	Function("pg_column_is_updatable", ts(tRegclass, tInt2, tBool), tBool, func(c *Call) (types.Datum, error) {
		n := int(c.Args[1].Int)
		if x := classByOID(c.snap, c.oid(0)); x != nil && x.View != nil && n > 0 {
			cols := c.Updatable(x.View)
			return yes(n <= len(cols) && cols[n-1]), nil
		}
		d, err := updatable(c)
		return yes(d.Int != 0 && n > 0), err
	})
	Function("pg_relation_is_publishable", ts(tRegclass), tBool, func(c *Call) (types.Datum, error) {
		if classByOID(c.snap, c.oid(0)) == nil {
			return null, nil
		}
		return yes(false), nil // there are no publications
	})
	Function("pg_sequence_last_value", ts(tRegclass), tInt8, func(c *Call) (types.Datum, error) {
		r := c.snap.ByID(c.oid(0))
		q, ok := r.(*catalog.Sequence)
		if r == nil {
			return null, nil
		}
		if !ok {
			return null, sqlerr.New(sqlerr.WrongObjectType, `"%s" is not a sequence`, r.RelName())
		}
		if rights, _ := c.snap.RelationRights(c.Role(), q); rights&(acl.Usage|acl.Select) == 0 {
			return null, catalog.Denied("sequence", q.Name)
		}
		last, called, err := c.SequenceState(c.env.Ctx, c.oid(0))
		if !called || err != nil {
			return null, err
		}
		return num(last), nil
	})
	Function("pg_describe_object", ts(tOID, tOID, tInt4), tText, describeObject)
	Function("pg_tablespace_location", ts(tOID), tText, fixed(text("")))
	Function("pg_index_column_has_property", ts(tRegclass, tInt4, tText), tBool, indexColumnHas)
	Function("pg_index_has_property", ts(tRegclass, tText), tBool, func(c *Call) (types.Datum, error) {
		if x := classByOID(c.snap, c.oid(0)); x == nil || x.Index == nil {
			return null, nil
		}
		switch c.text(1) {
		case "index_scan", "backward_scan":
			return yes(true), nil
		case "clusterable", "bitmap_scan":
			return yes(false), nil
		}
		return null, nil
	})
	Function("pg_indexam_has_property", ts(tOID, tText), tBool, func(c *Call) (types.Datum, error) {
		if c.oid(0) != btreeAM {
			return null, nil
		}
		switch c.text(1) {
		case "can_order", "can_unique", "can_multi_col":
			return yes(true), nil
		case "can_exclude", "can_include":
			return yes(false), nil
		}
		return null, nil
	})
}

// indexColumnHas: see the table of properties of index columns in PostgreSQL's manual.
func indexColumnHas(c *Call) (types.Datum, error) {
	x := classByOID(c.snap, c.oid(0))
	n := int(c.Args[1].Int)
	if x == nil || x.Index == nil || n < 1 || n > x.Index.keys {
		return null, nil
	}
	col := &x.Index.columns[n-1]
	switch c.text(2) {
	case "asc":
		return yes(!col.desc), nil
	case "nulls_last":
		return yes(!col.nullsFirst), nil
	case "desc":
		return yes(col.desc), nil
	case "nulls_first":
		return yes(col.nullsFirst), nil
	case "orderable", "returnable", "search_array":
		return yes(true), nil
	case "distance_orderable", "search_nulls":
		return yes(false), nil
	}
	return null, nil
}

// defaultColumn is the column of t whose DEFAULT has the OID.
func defaultColumn(t *catalog.Table, oid uint32) *catalog.Column {
	for i := range t.Visible() {
		if c := &t.Columns[i]; hasAttrdef(c) && partOID(t.ID, partDefault+c.ID) == oid {
			return c
		}
	}
	return nil
}

// server are functions over the server and the session.
func server() {
	Function("pg_postmaster_start_time", ts(), tTSTZ, func(c *Call) (types.Datum, error) { return when(c.Started()), nil })
	Function("pg_conf_load_time", ts(), tTSTZ, func(c *Call) (types.Datum, error) { return when(c.Started()), nil })
	Function("pg_reload_conf", ts(), tBool, func(c *Call) (types.Datum, error) {
		if !c.snap.IsSuperuser(c.Role()) {
			return null, catalog.Denied("function", "pg_reload_conf")
		}
		if !c.Reload() {
			return null, sqlerr.Unsupported("pg_reload_conf is not supported without a server", "Settings are those that the program has opened the DB with.")
		}
		return yes(true), nil
	})
	inet := types.Of(types.Inet)
	own := func(c *Call) Activity {
		for _, a := range c.Activity() {
			if a.PID == c.env.BackendPID && a.Client.IsValid() {
				return a
			}
		}
		return Activity{}
	}
	Function("inet_client_addr", ts(), inet, func(c *Call) (types.Datum, error) {
		if a := own(c); a.Client.IsValid() {
			return types.NewInet(a.Client.Addr()), nil
		}
		return null, nil
	})
	Function("inet_server_addr", ts(), inet, func(c *Call) (types.Datum, error) {
		if a := own(c); a.Server.IsValid() {
			return types.NewInet(a.Server.Addr()), nil
		}
		return null, nil
	})
	Function("inet_server_port", ts(), tInt4, func(c *Call) (types.Datum, error) {
		if a := own(c); a.Server.IsValid() {
			return num(int(a.Server.Port())), nil
		}
		return null, nil
	})
	Function("pg_blocking_pids", ts(tInt4), types.ArrayOf(tInt4), func(c *Call) (types.Datum, error) {
		return array(types.Int4, func(pid int32) types.Datum { return num(pid) }, c.Blocking(int32(c.Args[0].Int))), nil
	})
	Function("pg_isolation_test_session_is_blocked", ts(tInt4, types.ArrayOf(tInt4)), tBool, func(c *Call) (types.Datum, error) {
		for _, pid := range c.Blocking(int32(c.Args[0].Int)) {
			for _, one := range c.Args[1].Array.Elems {
				if !one.Null && one.Int == int64(pid) {
					return yes(true), nil
				}
			}
		}
		return yes(false), nil
	})
	Function("inet_client_port", ts(), tInt4, func(c *Call) (types.Datum, error) {
		if a := own(c); a.Client.IsValid() {
			return num(int(a.Client.Port())), nil
		}
		return null, nil
	})
	signal("pg_cancel_backend", ts(tInt4), func(c *Call) (bool, error) { return c.CancelBackend(int32(c.Args[0].Int)) })
	signal("pg_terminate_backend", ts(tInt4), func(c *Call) (bool, error) { return c.TerminateBackend(int32(c.Args[0].Int), 0) })
	signal("pg_terminate_backend", ts(tInt4, tInt8), func(c *Call) (bool, error) {
		if c.Args[1].Int < 0 {
			return false, sqlerr.New(sqlerr.NumericValueOutOfRange, `"timeout" must not be negative`)
		}
		return c.TerminateBackend(int32(c.Args[0].Int), time.Duration(c.Args[1].Int)*time.Millisecond)
	})
	Function("pg_my_temp_schema", ts(), tOID, func(c *Call) (types.Datum, error) {
		return oid(SchemaOID(c.snap, c.snap.TempSchema())), nil
	})
	Function("pg_is_other_temp_schema", ts(tOID), tBool, fixed(yes(false)))
	Function("pg_char_to_encoding", ts(tName), tInt4, func(c *Call) (types.Datum, error) {
		switch c.text(0) {
		case "UTF8", "utf8", "UTF-8", "utf-8", "unicode", "UNICODE":
			return num(utf8Encoding), nil
		}
		return num(-1), nil
	})
	Function("pg_encoding_max_length", ts(tInt4), tInt4, func(c *Call) (types.Datum, error) {
		if c.Args[0].Int == utf8Encoding {
			return num(4), nil
		}
		return null, nil
	})
	Function("pg_collation_actual_version", ts(tOID), tText, fixed(null))
	Function("pg_database_collation_actual_version", ts(tOID), tText, fixed(null))
	Function("acldefault", ts(tChar, tOID), tACLs, aclDefault)
}

// signal registers a function that does something to another session.
func signal(name string, args []types.T, f func(c *Call) (bool, error)) {
	builtin.RegisterFunc(name, args, tBool, true, false, func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		w, ok := env.Session.(World)
		if !ok {
			return null, unanswerable(name)
		}
		done, err := f(&Call{World: w, env: env, snap: w.Snapshot(), Args: a})
		return yes(done), err
	})
}

// defaultRights are those of the public and of the owner of a new object of a kind, in the
// letters of aclitem.
var defaultRights = map[byte][2]string{
	'c': {}, 'r': {"", "arwdDxt"}, 's': {"", "rwU"}, 'd': {"Tc", "CTc"}, 'f': {"X", "X"}, 'l': {"U", "U"}, 'L': {"", "rw"},
	'n': {"", "UC"}, 't': {"", "C"}, 'F': {"", "U"}, 'S': {"", "U"}, 'T': {"U", "U"}, 'p': {"", "sA"},
}

func aclDefault(c *Call) (types.Datum, error) {
	kind := c.Args[0].Bytes
	var rights [2]string
	known := false
	if len(kind) > 0 {
		rights, known = defaultRights[kind[0]]
	}
	if !known {
		return null, sqlerr.New(sqlerr.InvalidParameterValue, "unrecognized object type abbreviation: %s", kind)
	}
	owner, ok := roleName(c, c.snap, c.oid(1))
	if !ok {
		owner = strconv.FormatUint(uint64(c.oid(1)), 10)
	}
	owner = ident.Quote(owner)
	var items []types.Datum
	if rights[0] != "" {
		items = append(items, text("="+rights[0]+"/"+owner))
	}
	if rights[1] != "" {
		items = append(items, text(owner+"="+rights[1]+"/"+owner))
	}
	return types.NewArray(types.Of(types.ACLItem), items), nil
}
