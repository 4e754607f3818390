package identity

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/ident"
)

// Path is the search path of a session, kept until whom it acts for, a setting or the catalog
// changes.
type Path struct {
	Names []string // in order; never nil once set, which would be the default path: an empty one finds nothing
	Text  string   // Names, quoted

	at       uint64            // the generation of the settings it was read at
	seen     *catalog.Snapshot // whose rights it was read under
	existing []string          // those of Names that are schemas
	of       *catalog.Snapshot // that existing was read from
}

// Current says that the path is that of an identity.
func (p *Path) Current(i *Identity) bool { return p.at == i.At && (i.Superuser || p.seen == i.Of) }

// Set makes the path that of an identity, by its search_path.
func (p *Path) Set(i *Identity, setting string) {
	names := i.SearchPath(setting)
	quoted := make([]byte, 0, len(setting))
	for _, n := range names {
		quoted = append(ident.Append(quoted, n), ',')
	}
	*p = Path{Names: names, Text: string(quoted), at: i.At, seen: i.Of}
}

// Existing gives the schemas of the path that a snapshot has.
func (p *Path) Existing(snap *catalog.Snapshot) []string {
	if p.of == snap {
		return p.existing
	}
	p.existing = nil
	for _, n := range p.Names {
		if n = snap.SchemaNamed(n); catalog.IsSystemSchema(n) || snap.Schema(n) != nil {
			p.existing = append(p.existing, n)
		}
	}
	p.of = snap
	return p.existing
}
