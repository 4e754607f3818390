package change

import (
	"context"

	"github.com/saltsql/saltsql/catalog"
)

// Rehearsal is what changes would leave of a snapshot if they were committed.
type Rehearsal struct {
	Snapshot *catalog.Snapshot
	Gone     map[uint32]bool // objects that the changes drop
}

type rehearsing struct{}

// WithRehearsal gives a context in which Keeper.Change commits nothing: it puts what it makes of
// r.Snapshot there. It is for statements that do nothing beside changes, as DROP does not until its
// change is committed (see Rehearses).
func WithRehearsal(ctx context.Context, r *Rehearsal) context.Context {
	return context.WithValue(ctx, rehearsing{}, r)
}

// Rehearses says that changes made with ctx are not committed.
func Rehearses(ctx context.Context) bool { return rehearsalOf(ctx) != nil }

func rehearsalOf(ctx context.Context) *Rehearsal {
	r, _ := ctx.Value(rehearsing{}).(*Rehearsal)
	return r
}

// take applies what a change has made. The version stays that of the catalog, and of each table that
// is only altered: its rows are written by it.
func (r *Rehearsal) take(ch *Change) {
	objects := r.Snapshot.EditObjects()
	for id := range ch.Del {
		objects.Delete(id)
		r.Gone[id] = true
	}
	for id, o := range ch.Put {
		if o.State == catalog.StateDropping {
			r.Gone[id] = true
		}
		if was, ok := objects.Get(id); ok {
			o.Ptr = was.Ptr
			if t, ok := o.Desc.(*catalog.Table); ok {
				t.Version = was.Desc.(*catalog.Table).Version
			}
		}
		objects.Set(id, o)
	}
	r.Snapshot = r.Snapshot.Next(r.Snapshot.Root, objects, ch.Put, ch.Del)
}
