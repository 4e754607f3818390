package change

import (
	"context"
	"errors"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/catalog/versions"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Keeper makes the changes of the catalog of one store, or those of a draft of it.
type Keeper struct {
	*versions.Keeper
	draft *Draft // nil: changes are committed
}

// Change applies fn to the newest snapshot and commits what it made; when
// another server was faster it starts again on what that one left. fn must do
// nothing else. The snapshot returned is the one after the change. See WithRehearsal. Without an
// actor in ctx it is XX000.
func (k *Keeper) Change(ctx context.Context, fn func(*Change) error) (*catalog.Snapshot, catalog.Notices, error) {
	if catalog.ActorOf(ctx).By == catalog.Nobody {
		return nil, nil, sqlerr.Internal(nil, "a change of the catalog by nobody")
	}
	var ch *Change
	edit := func(s *catalog.Snapshot) (*Change, error) {
		ch = New(ctx, k.Over(s))
		err := fn(ch)
		if blocked := ch.Blocked(); blocked != nil && (err == nil || errors.Is(err, ErrNothing)) {
			return nil, blocked
		}
		if errors.Is(err, ErrNothing) {
			return nil, nil
		}
		if err == nil {
			if err = k.onlyOwn(&ch.Edit); err == nil {
				err = ch.checkTypes()
			}
		}
		return ch, err
	}
	var s *catalog.Snapshot
	var err error
	switch r := rehearsalOf(ctx); {
	case r != nil:
		var made *Change
		if made, err = edit(r.Snapshot); err == nil && made != nil {
			r.take(ch)
		}
		s = r.Snapshot
	case k.draft != nil:
		s, err = k.draft.change(ctx, edit)
	default:
		s, err = k.Keeper.Update(ctx, func(s *catalog.Snapshot) (*versions.Edit, error) {
			made, err := edit(s)
			if made == nil || err != nil {
				return nil, err
			}
			return &made.Edit, nil
		})
	}
	if ch == nil {
		return nil, nil, err
	}
	if err == nil {
		ch.Notices = append(ch.Notices, catalog.CascadeNotices(ch.Cascaded)...)
	}
	return s, ch.Notices, err
}

// Over gives a snapshot with the catalog under it that this one is laid over, if it is.
func (k *Keeper) Over(s *catalog.Snapshot) *catalog.Snapshot {
	if k.Options.Base == nil {
		return s
	}
	return s.Under(k.Options.Base())
}

// Seen is Snapshot with the catalog under it that this one is laid over, if it is.
func (k *Keeper) Seen() *catalog.Snapshot { return k.Over(k.Snapshot()) }

// onlyOwn refuses to change what is of the catalog under this one, or over it.
func (k *Keeper) onlyOwn(e *versions.Edit) error {
	temporary := k.Options.Base != nil
	for id := range e.Put {
		if catalog.TemporaryID(id) != temporary {
			return mixedLives()
		}
	}
	for id := range e.Del {
		if catalog.TemporaryID(id) != temporary {
			return mixedLives()
		}
	}
	return nil
}

func mixedLives() error {
	return sqlerr.Unsupported("one statement that changes temporary and other objects is not supported", "Write a statement for each.")
}

// errNoChange lets a change end without a commit.
var ErrNothing = errors.New("catalog: nothing to change")
