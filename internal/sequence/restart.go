package sequence

import (
	"context"
	"maps"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
)

// Restarts are the sequences that a transaction block has begun anew by TRUNCATE … RESTART IDENTITY.
// The block draws from them apart; others draw from them as they were. After COMMIT of the block's
// rows others go on where the block has ended, unless one of them has drawn meanwhile: then a value
// could come twice, and the sequence goes on as it was. It is not changed once it is made.
type Restarts map[uint32]restart // by the sequence's ID

type restart struct {
	q    *catalog.Sequence
	seen versions.SeqValue // when it was begun anew
	now  versions.SeqValue
}

// Restart begins a sequence anew for the block.
func (d *Drawn) Restart(ctx context.Context, h Host, q *catalog.Sequence) error {
	seen, err := h.Keeper(q.ID).Observe(ctx, q)
	if err == nil {
		d.put(restart{q: q, seen: seen, now: versions.SeqValue{Last: q.Start}})
	}
	return err
}

func (d *Drawn) put(r restart) {
	next := maps.Clone(d.restarts)
	if next == nil {
		next = Restarts{}
	}
	next[r.q.ID] = r
	d.restarts = next
}

// Altered lets others' value be the block's for the sequences that an ALTER has changed, which is not part of
// the block.
func (d *Drawn) Altered(ctx context.Context, h Host) {
	for id, r := range d.restarts {
		q, err := find(h, id)
		if err == nil && q.Version == r.q.Version {
			var v versions.SeqValue
			if v, err = h.Keeper(id).Observe(ctx, q); err == nil && v == r.seen {
				continue
			}
		}
		d.restarts = maps.Clone(d.restarts)
		delete(d.restarts, id)
	}
}

// take draws from a sequence that the block has begun anew.
func (d *Drawn) take(r restart, n int) (versions.Values, error) {
	v, err := versions.After(r.q, r.now, int64(max(n, 1)))
	if err == nil {
		r.now = versions.SeqValue{Last: v.First + v.Step*int64(v.Count-1), Called: true}
		d.put(r)
	}
	return v, err
}

// Mark gives what the block has begun anew, to go back to.
func (d *Drawn) Mark() Restarts { return d.restarts }

// RollbackTo makes what the block has begun anew what it was; nil is nothing.
func (d *Drawn) RollbackTo(m Restarts) { d.restarts = m }

// Publish has others draw on from where a block that is committed has ended. left is told of each
// sequence that goes on as it was, and of the error if that is why.
func (m Restarts) Publish(ctx context.Context, h Host, left func(*catalog.Sequence, error)) {
	for _, r := range m {
		if h.Snapshot().ByID(r.q.ID) == nil { // the block has dropped it
			continue
		}
		if done, err := h.Keeper(r.q.ID).SetValIf(ctx, r.q, r.seen, r.now); !done {
			left(r.q, err)
		}
	}
}
