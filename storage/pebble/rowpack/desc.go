package rowpack

import (
	"slices"
	"strings"
	"time"

	"github.com/saltsql/saltsql/storage"
)

// Desc is what rows are written and read by: the families of a table. It is immutable.
// Family ids grow and are never used again, so that a descriptor read after a row can name all
// the row's families.
type Desc struct {
	Spec     storage.TableSpec // normalized
	IDs      []uint32          // parallel to spec.Families
	ByID     []Family          // index: id; [0] is unused
	HasTTL   bool
	versions bool // some family keeps more than one
}

// Family is a column family as rows are written and read by it.
type Family struct {
	name     string
	versions int
	ttl      time.Duration
}

// NewDesc gives the descriptor of a table whose families have these ids; spec is normalized.
func NewDesc(spec storage.TableSpec, ids []uint32) *Desc {
	d := &Desc{Spec: spec, IDs: ids}
	for i, f := range spec.Families {
		for len(d.ByID) <= int(ids[i]) {
			d.ByID = append(d.ByID, Family{})
		}
		d.ByID[ids[i]] = Family{f.Name, f.MaxVersions, f.TTL}
		d.HasTTL = d.HasTTL || f.TTL > 0
		d.versions = d.versions || f.MaxVersions > 1
	}
	return d
}

// FamilyID gives 0 for a family that the table lacks. Tables have few.
func (d *Desc) FamilyID(name string) uint32 {
	for i := range d.Spec.Families {
		if d.Spec.Families[i].Name == name {
			return d.IDs[i]
		}
	}
	return 0
}

// Oldest gives the timestamp below which a family's cells are expired.
func (f *Family) Oldest(now time.Time) int64 {
	if f.ttl == 0 {
		return 0
	}
	return now.Add(-f.ttl).UnixMicro()
}

// Alter gives the descriptor with families added and changed.
func (d *Desc) Alter(spec storage.TableSpec) *Desc {
	out := d.Spec.Normalize()
	ids := slices.Clone(d.IDs)
	next := uint32(max(1, len(d.ByID)))
	for _, f := range spec.Normalize().Families {
		i := slices.IndexFunc(out.Families, func(old storage.FamilySpec) bool { return old.Name == f.Name })
		if i >= 0 {
			out.Families[i] = f
			continue
		}
		at, _ := slices.BinarySearchFunc(out.Families, f.Name, func(o storage.FamilySpec, name string) int { return strings.Compare(o.Name, name) })
		out.Families = slices.Insert(out.Families, at, f)
		ids = slices.Insert(ids, at, next)
		next++
	}
	return NewDesc(out, ids)
}

// MaxFamilyID bounds what a malformed id can make a reader allocate.
const MaxFamilyID = 1 << 16

// ErrNoFamily is the error (CodeNotFound) of an operation that names a family which the table
// lacks.
func ErrNoFamily(op, table, family string) *storage.Error {
	return storage.Errorf(storage.CodeNotFound, op, table, "column family %q does not exist", family)
}
