package bigtable

import (
	"math"
	"time"

	"cloud.google.com/go/bigtable"

	"github.com/saltsql/saltsql/storage"
)

// gcPolicy lets the service collect what is beyond either bound of a family.
func gcPolicy(f storage.FamilySpec) bigtable.GCPolicy {
	versions := bigtable.MaxVersionsPolicy(max(1, f.MaxVersions))
	if f.TTL == 0 {
		return versions
	}
	return bigtable.UnionPolicy(versions, bigtable.MaxAgePolicy(f.TTL+storage.CollectAfter))
}

// familySpec reads a family as the service has it. A policy that we would not
// write is told by the bounds it surely keeps: versions without limit where
// nothing or only an intersection bounds them.
func familySpec(info bigtable.FamilyInfo) storage.FamilySpec {
	f := storage.FamilySpec{Name: info.Name, MaxVersions: math.MaxInt32}
	apply := func(p bigtable.GCPolicy) {
		switch p := p.(type) {
		case bigtable.MaxVersionsGCPolicy:
			f.MaxVersions = min(f.MaxVersions, int(p))
		case bigtable.MaxAgeGCPolicy:
			// One that keeps cells for less than that is told by a TTL that nobody asks for.
			if ttl := max(time.Duration(p)-storage.CollectAfter, time.Millisecond); f.TTL == 0 || ttl < f.TTL {
				f.TTL = ttl
			}
		}
	}
	if u, ok := info.FullGCPolicy.(bigtable.UnionGCPolicy); ok {
		for _, p := range u.Children {
			apply(p)
		}
	} else {
		apply(info.FullGCPolicy)
	}
	return f
}
