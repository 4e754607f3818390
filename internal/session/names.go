package session

import (
	"context"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/ident"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// names maps relation names and OIDs for regclass.
type names struct{ s *Session }

// RelationOID finds a relation by its possibly qualified and quoted name.
func (n names) RelationOID(text string) (uint32, error) {
	r, err := n.s.relation(text)
	if sqlerr.CodeOf(err) == sqlerr.UndefinedTable {
		if parts, splitErr := n.s.splitName(text); splitErr == nil {
			if oid := pgcatalog.IndexOID(n.s.snapshot(), n.s.searchPath(), parts); oid != 0 {
				return oid, nil
			}
		}
	}
	if err != nil {
		return 0, err
	}
	return r.RelID(), nil
}

// RelationName prints a relation's name, qualified where the search path does
// not find it.
func (n names) RelationName(oid uint32) (string, bool) {
	snap := n.s.snapshot()
	r := snap.ByID(oid)
	if r == nil {
		return pgcatalog.IndexName(snap, n.s.searchPath(), oid)
	}
	name := ident.Quote(r.RelName())
	if found := snap.Lookup(catalog.Name{Name: r.RelName(), Path: n.s.searchPath()}); found == nil || found.RelID() != oid {
		name = ident.Quote(r.RelSchema()) + "." + name
	}
	return name, true
}

// lookupTime bounds the read of the catalog for a name within a value.
const lookupTime = 10 * time.Second

// relation finds what a text such as 'public."My table"' names.
func (s *Session) relation(text string) (catalog.Relation, error) {
	parts, err := s.splitName(text)
	if err != nil {
		return nil, err
	}
	schema := ""
	if len(parts) == 2 {
		schema = parts[0]
	}
	var r catalog.Relation
	ctx, cancel := context.WithTimeout(s.ctx, lookupTime)
	defer cancel()
	err = s.lookup(ctx, s.began, func() (version uint64, err error) {
		snap := s.snapshot()
		r, err = snap.Resolve(s.searchPath(), schema, parts[len(parts)-1])
		return snap.Version(), err
	})
	return r, err
}

// splitName reads a name of one or two parts, or of three that begin with the database's, by
// SQL's rules: unquoted parts are folded to
// lower case, "" inside quotes is a quote. 42602 for anything else.
func (s *Session) splitName(text string) ([]string, error) {
	bad := sqlerr.New(sqlerr.InvalidName, "invalid name syntax")
	var parts []string
	rest := strings.TrimSpace(text)
	for {
		var part string
		quoted := strings.HasPrefix(rest, `"`)
		if quoted {
			i := 1
			for ; ; i++ {
				if i >= len(rest) {
					return nil, bad
				}
				if rest[i] != '"' {
					part += rest[i : i+1]
					continue
				}
				if i+1 < len(rest) && rest[i+1] == '"' {
					part += `"`
					i++
					continue
				}
				break
			}
			rest = rest[i+1:]
		} else {
			i := strings.IndexByte(rest, '.')
			if i < 0 {
				i = len(rest)
			}
			part = strings.ToLower(strings.TrimSpace(rest[:i]))
			if strings.ContainsAny(part, "\" \t\n") {
				return nil, bad
			}
			rest = rest[i:]
		}
		if part == "" && !quoted {
			return nil, bad
		}
		parts = append(parts, part)
		rest = strings.TrimSpace(rest)
		if rest == "" {
			break
		}
		if rest[0] != '.' {
			return nil, bad
		}
		rest = strings.TrimSpace(rest[1:])
	}
	if len(parts) == 3 && parts[0] == s.opts.Database {
		parts = parts[1:]
	}
	switch {
	case len(parts) > 3:
		return nil, sqlerr.New(sqlerr.SyntaxError, "improper relation name (too many dotted names): %s", strings.Join(parts, "."))
	case len(parts) > 2:
		return nil, sqlerr.New(sqlerr.FeatureNotSupported, `cross-database references are not implemented: "%s"`, strings.Join(parts, "."))
	}
	return parts, nil
}

// ObjectOID finds what a reg… type other than regclass names.
func (n names) ObjectOID(kind types.Kind, name string) (uint32, error) {
	return n.objects().ObjectOID(kind, name)
}

// ObjectName prints what an OID of such a type is of.
func (n names) ObjectName(kind types.Kind, oid uint32) (string, bool) {
	return n.objects().ObjectName(kind, oid)
}

func (n names) objects() pgcatalog.Names {
	return pgcatalog.Names{Snapshot: n.s.snapshot(), World: sessionFuncs(n), Split: n.s.splitName}
}
