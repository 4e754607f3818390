package versions

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/saltsql/saltsql/catalog"
)

// TestEpoch: who has lost the DDL lease unawares commits nothing that was decided under it, but
// for what is decided by the catalog as it is; who gave it back before leaves the epoch as it is.
func TestEpoch(t *testing.T) {
	ctx := context.Background()
	const lease = time.Minute
	a, b, passed := twoKeepers(t, lease)
	comment := func(c *Keeper, ctx context.Context, text string) error {
		_, err := c.Update(ctx, func(s *catalog.Snapshot) (*Edit, error) {
			e := NewEdit(s)
			o, _ := s.Object(catalog.PublicSchemaID)
			public := *o.Desc.(*catalog.Schema)
			public.Comment = text
			e.Put[public.ID] = catalog.Object{Desc: &public, State: catalog.StatePublic}
			return &e, nil
		})
		return err
	}
	err := a.WithLease(ctx, func(in context.Context, h *Held) error {
		if err := comment(a, in, "first"); err != nil {
			return err
		}
		passed.Add(int64(2 * lease)) // a is stopped
		if err := b.WithLease(ctx, func(in context.Context, _ *Held) error { return comment(b, in, "second") }); err != nil {
			return err
		}
		if err := comment(a, ctx, "third"); err != nil { // of another session
			return err
		}
		err := comment(a, in, "fourth")
		if !errors.Is(err, ErrLeaseLost) {
			t.Errorf("under a lost lease: %v", err)
		}
		if _, err := h.Revise(ctx, 99, nil); !errors.Is(err, ErrLeaseLost) {
			t.Errorf("a table under a lost lease: %v", err)
		}
		if err := h.Admin(in, func(context.Context) error { t.Error("called without the lease"); return nil }); !errors.Is(err, ErrLeaseLost) {
			t.Errorf("a call under a lost lease: %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	s, err := a.Refresh(ctx)
	if err != nil || s.Schema(catalog.PublicSchema).Comment != "third" || s.Root.Epoch == 0 {
		t.Errorf("%q, epoch %d, %v", s.Schema(catalog.PublicSchema).Comment, s.Root.Epoch, err)
	}
	epoch := s.Root.Epoch
	for range 2 {
		for _, c := range []*Keeper{a, b} {
			if err := c.WithLease(ctx, func(context.Context, *Held) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s, err = a.Refresh(ctx); err != nil || s.Root.Epoch != epoch {
		t.Errorf("given back, the epoch went from %d to %d, %v", epoch, s.Root.Epoch, err)
	}
}
