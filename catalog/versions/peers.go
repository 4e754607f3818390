package versions

import (
	"context"
	"crypto/rand"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/storage"
)

// What servers that share a store need to ask each other, beside the door itself:
//
//	server/9f3c01aa…/1b2c3d4e    where a server's door is stands with its lease
//	peers                        c:secret    random bytes that one server has put there
const (
	peersKey   = "peers"
	secretCell = "secret"
	secretSize = 32 // bytes
)

// TellAddress has this server's row say where others reach it.
func (c *Keeper) TellAddress(ctx context.Context, addr string) error {
	c.me.mu.Lock()
	c.me.addr = addr
	seen := c.me.seen
	c.me.mu.Unlock()
	return catalog.FromStorage(c.writeMember(ctx, seen), "telling other servers where this one is")
}

// Secret gives 32 random bytes that only who has the store knows. The first who asks puts them
// there.
func (c *Keeper) Secret(ctx context.Context) (secret []byte, err error) {
	fresh := make([]byte, secretSize)
	if _, err := rand.Read(fresh); err != nil {
		return nil, err
	}
	err = RetryRead(ctx, func() error {
		_, err := c.Table.CheckAndMutate(ctx, &storage.CondMutation{
			Key: []byte(peersKey), Cond: storage.Cond{Op: storage.CellAbsent, Family: SystemFamily, Qualifier: []byte(secretCell)},
			Then: []storage.Mutation{{Op: storage.SetCell, Family: SystemFamily, Qualifier: []byte(secretCell), Timestamp: c.nextTimestamp(0), Value: fresh}},
		})
		if err != nil && storage.CodeOf(err) != storage.CodeAmbiguous {
			return err
		}
		var b storage.RowBatch
		if _, err := c.Table.MultiGet(ctx, [][]byte{[]byte(peersKey)}, nil, &b); err != nil {
			return err
		}
		if b.Len() > 0 {
			secret, _ = b.Value(0, SystemFamily, []byte(secretCell))
		}
		return nil
	})
	if err == nil && len(secret) != secretSize {
		return nil, catalog.Corrupt(peersKey, "the servers' secret has %d bytes", len(secret))
	}
	return secret, catalog.FromStorage(err, "reading the servers' secret")
}

// SayListening has this server's row say which channels of NOTIFY it listens to: fn gives them, and is
// called whenever the row is written.
func (c *Keeper) SayListening(fn func() (channels []string, all bool)) { c.on.Store(&fn) }
