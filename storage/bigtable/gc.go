package bigtable

import (
	"math"
	"time"

	"cloud.google.com/go/bigtable/admin/apiv2/adminpb"
	"google.golang.org/protobuf/types/known/durationpb"

	"github.com/saltsql/saltsql/storage"
)

// gcRule lets the service collect what is beyond either bound of a family.
func gcRule(f storage.FamilySpec) *adminpb.GcRule {
	versions := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxNumVersions{MaxNumVersions: int32(max(1, f.MaxVersions))}}
	if f.TTL == 0 {
		return versions
	}
	age := &adminpb.GcRule{Rule: &adminpb.GcRule_MaxAge{MaxAge: durationpb.New(f.TTL + storage.CollectAfter)}}
	return &adminpb.GcRule{Rule: &adminpb.GcRule_Union_{Union: &adminpb.GcRule_Union{Rules: []*adminpb.GcRule{versions, age}}}}
}

// familySpec reads a family as the service has it. A rule that we would not
// write is told by the bounds it surely keeps: versions without limit where
// nothing or only an intersection bounds them.
func familySpec(name string, family *adminpb.ColumnFamily) storage.FamilySpec {
	f := storage.FamilySpec{Name: name, MaxVersions: math.MaxInt32}
	rules := []*adminpb.GcRule{family.GetGcRule()}
	if u := family.GetGcRule().GetUnion(); u != nil {
		rules = u.Rules
	}
	for _, rule := range rules {
		switch r := rule.GetRule().(type) {
		case *adminpb.GcRule_MaxNumVersions:
			f.MaxVersions = min(f.MaxVersions, int(r.MaxNumVersions))
		case *adminpb.GcRule_MaxAge:
			// One that keeps cells for less than that is told by a TTL that nobody asks for.
			if ttl := max(r.MaxAge.AsDuration()-storage.CollectAfter, time.Millisecond); f.TTL == 0 || ttl < f.TTL {
				f.TTL = ttl
			}
		}
	}
	return f
}
