package change

import (
	"context"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
)

// Drafting gives the keeper by which changes go into a draft: it shows the catalog as the draft has
// it, and what a draft cannot do it does not begin.
func (k *Keeper) Drafting(d *Draft) *Keeper { return &Keeper{k.Keeper, d} }

// Committing gives the keeper that the draft is over, which commits changes.
func (k *Keeper) Committing() *Keeper { return &Keeper{k.Keeper, nil} }

// Drafts says that changes go into a draft.
func (k *Keeper) Drafts() bool { return k.draft != nil }

// Draft gives the draft that changes go into; nil where they are committed.
func (k *Keeper) Draft() *Draft { return k.draft }

// Beyond is the error of a statement that a draft cannot do: see Draft.Beyond.
func (k *Keeper) Beyond() error { return k.draft.refuse() }

// Snapshot is versions.Keeper's, with the draft over it.
func (k *Keeper) Snapshot() *catalog.Snapshot { return k.over(k.Keeper.Snapshot()) }

// Refresh is versions.Keeper's, with the draft over it.
func (k *Keeper) Refresh(ctx context.Context) (*catalog.Snapshot, error) {
	s, err := k.Keeper.Refresh(ctx)
	if err != nil {
		return nil, err
	}
	return k.over(s), nil
}

// RefreshSince is versions.Keeper's, with the draft over it.
func (k *Keeper) RefreshSince(ctx context.Context, t time.Time) (*catalog.Snapshot, error) {
	s, err := k.Keeper.RefreshSince(ctx, t)
	if err != nil {
		return nil, err
	}
	return k.over(s), nil
}

func (k *Keeper) over(s *catalog.Snapshot) *catalog.Snapshot {
	if k.draft == nil {
		return s
	}
	return k.draft.Over(s)
}

// WithLease is versions.Keeper's. What needs the DDL lease is beyond a draft.
func (k *Keeper) WithLease(ctx context.Context, stmt func(context.Context, *versions.Held) error) error {
	if k.draft != nil {
		return k.Beyond()
	}
	return k.Keeper.WithLease(ctx, stmt)
}

// Update is versions.Keeper's. What is not made by Change is beyond a draft.
func (k *Keeper) Update(ctx context.Context, fn func(*catalog.Snapshot) (*versions.Edit, error)) (*catalog.Snapshot, error) {
	if k.draft != nil {
		return nil, k.Beyond()
	}
	return k.Keeper.Update(ctx, fn)
}

// DeleteRows is versions.Keeper's. Values of a draft's sequences go with the draft.
func (k *Keeper) DeleteRows(ctx context.Context, keys []string) {
	if k.draft == nil {
		k.Keeper.DeleteRows(ctx, keys)
	}
}

// own gives a sequence that only the draft has; nil where there is none.
func (k *Keeper) own(id uint32) *catalog.Sequence {
	if k.draft == nil || !k.draft.Has(id) {
		return nil
	}
	q, _ := k.Snapshot().ByID(id).(*catalog.Sequence)
	return q
}

// NextVal is versions.Keeper's, also of a sequence of the draft.
func (k *Keeper) NextVal(ctx context.Context, id uint32, n int) (versions.Values, error) {
	if q := k.own(id); q != nil {
		return k.NextValOf(ctx, q, n)
	}
	return k.Keeper.NextVal(ctx, id, n)
}

// NextBlock is versions.Keeper's, also of a sequence of the draft.
func (k *Keeper) NextBlock(ctx context.Context, id uint32, n int) (versions.Values, error) {
	if q := k.own(id); q != nil {
		return k.NextBlockOf(ctx, q, n)
	}
	return k.Keeper.NextBlock(ctx, id, n)
}

// LastValue is versions.Keeper's, also of a sequence of the draft.
func (k *Keeper) LastValue(ctx context.Context, id uint32) (last int64, called bool, err error) {
	if q := k.own(id); q != nil {
		return k.LastValueOf(ctx, q)
	}
	return k.Keeper.LastValue(ctx, id)
}

// SetVal is versions.Keeper's, also of a sequence of the draft.
func (k *Keeper) SetVal(ctx context.Context, id uint32, value int64, called bool) error {
	if q := k.own(id); q != nil {
		return k.SetValOf(ctx, q, value, called)
	}
	return k.Keeper.SetVal(ctx, id, value, called)
}
