package catalog

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A session's temporary relations are in a schema of their own, and in a catalog of their own
// in the session's memory, which is laid over that of the store: nothing of them is stored, and
// no other session sees them.

const (
	// TempSchema is what a session calls its own schema of temporary relations.
	TempSchema = "pg_temp"
	tempPrefix = "pg_temp_"
	// FirstTemporaryOID is the first OID of temporary relations and their schemas, and
	// LastOID the last of all objects: those above are of their parts.
	FirstTemporaryOID = 1 << 30
	LastOID           = 1<<31 - 1
	// temporaryOIDs is how many OIDs one session has before they are another's too, which
	// nobody can see.
	temporaryOIDs = 1 << 16
)

// TemporarySchema is the schema of temporary relations of the n-th session that has such.
func TemporarySchema(n uint32) *Schema {
	n %= (LastOID + 1 - FirstTemporaryOID) / temporaryOIDs
	return &Schema{ID: FirstTemporaryOID + n*temporaryOIDs, Name: tempPrefix + strconv.FormatUint(uint64(n), 10), Owned: Owned{Owner: BootstrapRole}}
}

// IsTempSchema says that a schema is for temporary relations, of whatever session.
func IsTempSchema(name string) bool { return strings.HasPrefix(name, tempPrefix) }

// IsTemporary says that a relation ends with its session.
func IsTemporary(r Relation) bool { return IsTempSchema(r.RelSchema()) }

// TemporaryID says that an OID is that of a temporary relation, or of an index of one.
func TemporaryID(id uint32) bool { return FirstTemporaryOID <= id && id <= LastOID }

// Lay gives s with the relations of a session's own catalog over it: the catalog that the
// session's statements see. Its version is that of s.
func (s *Snapshot) Lay(temp *Snapshot) *Snapshot { return overlay(s, s, temp) }

// Under gives the catalog of a session's temporary relations with that of the store under it:
// what changes of it see. Its version is that of s.
func (s *Snapshot) Under(base *Snapshot) *Snapshot { return overlay(s, base, s) }

// overlay has the version of one and the objects of two; the roles and the database are base's.
func overlay(versionOf, base, temp *Snapshot) *Snapshot {
	o := *base
	o.found = &lookups{}
	o.version, o.Root = versionOf.version, versionOf.Root
	o.objects, o.byName, o.taken = base.objects.with(&temp.objects), base.byName.with(&temp.byName), base.taken.with(&temp.taken)
	o.schemas, o.referenced, o.logs = joined(base.schemas, temp.schemas), joined(base.referenced, temp.referenced), joined(base.logs, temp.logs)
	o.reshaped = slices.Concat(base.reshaped, temp.reshaped)
	for name := range temp.schemas {
		o.temp = name
	}
	at, _ := slices.BinarySearchFunc(base.rels, o.temp, func(r Relation, schema string) int { return strings.Compare(r.RelSchema(), schema) })
	o.rels = slices.Concat(base.rels[:at], temp.rels, base.rels[at:])
	return &o
}

func joined[K comparable, V any](a, b map[K]V) map[K]V {
	both := make(map[K]V, len(a)+len(b))
	maps.Copy(both, a)
	maps.Copy(both, b)
	return both
}

// TempSchema gives the session's schema of temporary relations; empty where it has none.
func (s *Snapshot) TempSchema() string { return s.temp }

// SchemaNamed gives the schema that a name of one stands for.
func (s *Snapshot) SchemaNamed(name string) string {
	if name == TempSchema && s.temp != "" {
		return s.temp
	}
	return name
}

// searched lists the schemas in which n is looked for. Temporary relations come first, unless
// the path names their schema.
func (s *Snapshot) searched(n Name) []string {
	if n.Schema != "" {
		return []string{s.SchemaNamed(n.Schema)}
	}
	path := n.SearchPath()
	if s.temp == "" {
		return path
	}
	if slices.Contains(path, s.temp) {
		return path
	}
	if i := slices.Index(path, TempSchema); i >= 0 {
		path = slices.Clone(path)
		path[i] = s.temp
		return path
	}
	return append([]string{s.temp}, path...)
}

type temporaryViews struct{}

// WithTemporaryViews gives a context in which changes of the store's catalog see the temporary
// views of the session that makes them: what those read is not dropped. CASCADE to one is 0A000.
func WithTemporaryViews(ctx context.Context, views []*View) context.Context {
	if len(views) == 0 {
		return ctx
	}
	return context.WithValue(ctx, temporaryViews{}, views)
}

// TemporaryViewsOf gives the views of WithTemporaryViews.
func TemporaryViewsOf(ctx context.Context) []*View {
	views, _ := ctx.Value(temporaryViews{}).([]*View)
	return views
}
