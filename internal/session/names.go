package session

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/pgcatalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// names maps relation names and OIDs for regclass.
type names struct{ s *Session }

// RelationOID finds a relation by its possibly qualified and quoted name.
func (n names) RelationOID(text string) (uint32, error) {
	r, err := n.s.relation(text)
	if sqlerr.CodeOf(err) == sqlerr.UndefinedTable {
		if parts, splitErr := pgcatalog.SplitName(text, n.s.opts.Database); splitErr == nil {
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
	return pgcatalog.RelationName(n.s.snapshot(), n.s.searchPath(), oid)
}

// lookupTime bounds the read of the catalog for a name within a value.
const lookupTime = 10 * time.Second

// relation finds what a text such as 'public."My table"' names.
func (s *Session) relation(text string) (catalog.Relation, error) {
	parts, err := pgcatalog.SplitName(text, s.opts.Database)
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
		r, err = s.seen(snap).Resolve(s.searchPath(), schema, parts[len(parts)-1])
		return snap.Version(), err
	})
	return r, err
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
	return pgcatalog.Names{Snapshot: n.s.snapshot(), World: sessionFuncs(n)}
}
