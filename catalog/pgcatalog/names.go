package pgcatalog

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// Names reads and prints the names of objects that are no relations, for
// types.ObjectResolver. Relations are the session's to find, which waits for what other
// servers have made.
type Names struct {
	Snapshot *catalog.Snapshot
	World    World
}

// ObjectOID finds what a reg… type names.
func (n Names) ObjectOID(k types.Kind, s string) (uint32, error) {
	args, hasArgs := "", false
	if k == types.Regprocedure || k == types.Regoperator {
		if i := strings.IndexByte(s, '('); i >= 0 && strings.HasSuffix(s, ")") {
			s, args, hasArgs = strings.TrimSpace(s[:i]), s[i+1:len(s)-1], true
		}
		if !hasArgs {
			return 0, sqlerr.New(sqlerr.InvalidTextRepresentation, "expected a left parenthesis")
		}
	}
	array := false
	if k == types.Regtype {
		s, array = strings.CutSuffix(s, "[]")
	}
	parts, err := SplitName(s, n.World.Database())
	if err != nil {
		if k == types.Regnamespace || k == types.Regrole {
			err = sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
		}
		return 0, err
	}
	if len(parts) > 1 && (k == types.Regproc || k == types.Regoper || k == types.Regcollation) && SchemaOID(n.Snapshot, parts[0]) == 0 {
		return 0, sqlerr.New(sqlerr.InvalidSchemaName, `schema "%s" does not exist`, parts[0])
	}
	if k == types.Regtype {
		if len(parts) > 1 {
			if err := n.Snapshot.MayLookInto(n.World.Role(), parts[0]); err != nil {
				return 0, err
			}
		}
		if id := typeNamed(n.Snapshot, n.World.SearchPath(), parts, array); id != 0 {
			return id, nil
		}
		s = strings.Join(parts, ".") // without quotes, as PostgreSQL prints it
		if array {
			s += "[]"
		}
		return 0, types.UndefinedType(s)
	}
	if k == types.Regoper || k == types.Regoperator {
		return n.operator(k, s, parts, args)
	}
	name := parts[len(parts)-1]
	if k == types.Regnamespace || k == types.Regrole {
		if len(parts) > 1 {
			return 0, sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
		}
	} else if len(parts) > 1 && parts[0] != "pg_catalog" && parts[0] != "information_schema" {
		return 0, n.missing(k, s, args)
	}
	named := func() []*ProcFact {
		return slices.DeleteFunc(slices.Clone(builtins().procNamed[name]), func(p *ProcFact) bool {
			return len(parts) > 1 && p.Schema != parts[0] || len(parts) == 1 && p.Schema != "pg_catalog"
		})
	}
	switch k {
	case types.Regnamespace:
		if id := SchemaOID(n.Snapshot, name); id != 0 {
			return id, nil
		}
		return 0, sqlerr.New(sqlerr.InvalidSchemaName, `schema "%s" does not exist`, name)
	case types.Regrole:
		if id, ok := roleNamed(n.World, n.Snapshot, name); ok {
			return id, nil
		}
		return 0, undefinedObject(`role "%s" does not exist`, name)
	case types.Regcollation:
		switch name {
		case "default":
			return defaultCollation, nil
		case "C":
			return cCollation, nil
		case "POSIX":
			return posixCollation, nil
		}
	case types.Regproc:
		switch list := named(); len(list) {
		case 0:
		case 1:
			return list[0].OID, nil
		default:
			return 0, sqlerr.New(sqlerr.AmbiguousFunction, `more than one function named "%s"`, s)
		}
	case types.Regprocedure:
		want, err := typeOIDs(args)
		if err != nil {
			return 0, err
		}
		for _, p := range named() {
			if signature("", p.Args) == signature("", want) {
				return p.OID, nil
			}
		}
	}
	return 0, n.missing(k, s, args)
}

func (n Names) missing(k types.Kind, s, args string) error {
	switch k {
	case types.Regproc:
		return sqlerr.New(sqlerr.UndefinedFunction, `function "%s" does not exist`, s)
	case types.Regprocedure:
		return sqlerr.New(sqlerr.UndefinedFunction, `function "%s(%s)" does not exist`, s, args)
	case types.Regoper, types.Regoperator:
		return sqlerr.New(sqlerr.UndefinedFunction, "operator does not exist: %s", s)
	}
	return undefinedObject(`collation "%s" for encoding "UTF8" does not exist`, s)
}

// typeOIDs reads a list of types with commas between them; NONE is no operand.
func typeOIDs(list string) ([]uint32, error) {
	var out []uint32
	depth, start := 0, 0
	list += ","
	for i := 0; i < len(list); i++ {
		switch list[i] {
		case '(':
			depth++
		case ')':
			depth--
		case ',':
			if depth > 0 {
				continue
			}
			word := strings.TrimSpace(list[start:i])
			start = i + 1
			switch {
			case word == "" && strings.TrimSpace(list) == ",":
			case strings.EqualFold(word, "none"):
				out = append(out, 0)
			default:
				id, err := typeOID(word)
				if err != nil {
					return nil, err
				}
				out = append(out, id)
			}
		}
	}
	return out, nil
}

func typeOID(word string) (uint32, error) {
	for _, t := range builtins().types { // pseudo-types have no values, and no kinds
		if t.typ == 'p' && strings.Trim(word, `"`) == t.name {
			return t.oid, nil
		}
	}
	d, err := types.ParseText(types.Of(types.Regtype), []byte(word), nil)
	return uint32(d.Int), err
}

func (n Names) operator(k types.Kind, s string, parts []string, args string) (uint32, error) {
	var want []uint32
	if k == types.Regoperator {
		var err error
		if want, err = typeOIDs(args); err != nil {
			return 0, err
		}
		switch {
		case len(want) == 1:
			return 0, sqlerr.New(sqlerr.UndefinedParameter, "missing argument").WithHint("Use NONE to denote the missing argument of a unary operator.")
		case len(want) != 2:
			return 0, sqlerr.New(sqlerr.TooManyArguments, "too many arguments").WithHint("Provide two argument types for operator.")
		}
	}
	if len(parts) > 1 && parts[0] != "pg_catalog" {
		return 0, n.missing(k, s, args)
	}
	name := parts[len(parts)-1]
	var found []*operatorFact
	for _, o := range builtins().operators {
		if o.name == name && (k == types.Regoper || want[0] == o.left && want[1] == o.right) {
			found = append(found, o)
		}
	}
	switch len(found) {
	case 0:
		return 0, n.missing(k, s, args)
	case 1:
		return found[0].oid, nil
	}
	return 0, sqlerr.New(sqlerr.AmbiguousFunction, "more than one operator named %s", s)
}

// ObjectName prints what an OID of a reg… type is of.
func (n Names) ObjectName(k types.Kind, id uint32) (string, bool) {
	switch k {
	case types.Regtype:
		t, ok := n.Snapshot.TypeOfOID(id, -1)
		if !ok {
			if f := builtins().typeByOID[id]; f != nil { // a pseudo-type that has no values
				return TypeText(id, -1), true
			}
			if c, array := classOfRowType(n.Snapshot, id); c != nil {
				return c.shownRowType(n.Snapshot, n.World.SearchPath(), array), true
			}
			return "", false
		}
		return n.Snapshot.In(notNil(n.World.SearchPath())).TypeName(t), true
	case types.Regnamespace:
		name := schemaName(n.Snapshot, id)
		return ident.Quote(name), name != ""
	case types.Regrole:
		name, ok := roleName(n.World, n.Snapshot, id)
		return ident.Quote(name), ok
	case types.Regcollation:
		switch id {
		case defaultCollation:
			return `"default"`, true
		case cCollation:
			return `"C"`, true
		case posixCollation:
			return `"POSIX"`, true
		}
	case types.Regproc, types.Regprocedure:
		p := builtins().procByOID[id]
		if p == nil {
			return "", false
		}
		if k == types.Regprocedure {
			return p.shown() + "(" + typeList(p.Args) + ")", true
		}
		// A name that others have too is told apart by its schema, as far as it goes.
		if len(builtins().procNamed[p.Bare]) > 1 {
			return p.Schema + "." + ident.Quote(p.Bare), true
		}
		return p.shown(), true
	case types.Regoper, types.Regoperator:
		o := builtins().opByOID[id]
		if o == nil {
			return "", false
		}
		if k == types.Regoperator {
			left := "NONE"
			if o.left != 0 {
				left = TypeText(o.left, -1)
			}
			return o.name + "(" + left + "," + TypeText(o.right, -1) + ")", true
		}
		alone := true
		for _, other := range builtins().operators {
			alone = alone && (other == o || other.name != o.name)
		}
		if !alone {
			return "pg_catalog." + o.name, true
		}
		return o.name, true
	}
	return "", false
}

// shown is the name with its schema where that is not searched.
func (p *ProcFact) shown() string {
	if p.Schema != "pg_catalog" {
		return p.Schema + "." + ident.Quote(p.Bare)
	}
	return ident.Quote(p.Bare)
}

func typeList(ids []uint32) string {
	parts := make([]string, len(ids))
	for i, id := range ids {
		parts[i] = TypeText(id, -1)
	}
	return strings.Join(parts, ",")
}

// schemaName gives the name of a schema; "" if there is none.
func schemaName(s *catalog.Snapshot, id uint32) string {
	for _, sys := range systemSchemas {
		if sys.oid == id {
			return sys.name
		}
	}
	for _, sc := range s.Schemas() {
		if sc.ID == id {
			return sc.Name
		}
	}
	return ""
}

// IndexOID finds an index by its name, of one or two parts; 0 if there is none.
func IndexOID(s *catalog.Snapshot, path []string, name []string) uint32 {
	if len(name) == 2 {
		path = name[:1]
	}
	for _, schema := range path {
		for _, t := range s.Tables() {
			if t.Schema != schema {
				continue
			}
			for _, x := range IndexesOf(t) {
				if x.Name == name[len(name)-1] {
					return x.oid
				}
			}
		}
	}
	return 0
}

// RelationName prints the name of a relation or an index, qualified where the search path does not
// find it.
func RelationName(s *catalog.Snapshot, path []string, oid uint32) (string, bool) {
	r := s.ByID(oid)
	if r == nil {
		if c := classByOID(s, oid); c != nil {
			return c.shown(s, path), true
		}
		return "", false
	}
	name := ident.Quote(r.RelName())
	if found := s.Lookup(catalog.Name{Name: r.RelName(), Path: path}); found == nil || found.RelID() != oid {
		name = ident.Quote(r.RelSchema()) + "." + name
	}
	return name, true
}
