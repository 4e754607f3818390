package session

import (
	"context"

	"github.com/saltsql/saltsql/internal/peers"
)

// openDoor lets the servers of a store that is shared ask each other, where Options.Peers says so.
func (db *DB) openDoor(ctx context.Context) error {
	if db.opts.Peers == "" || !db.shared || db.readOnly {
		return nil
	}
	secret, err := db.catalog.Secret(ctx)
	if err != nil {
		return err
	}
	door, err := peers.Listen(db.opts.Peers, peers.Options{ID: db.catalog.Owner, Secret: secret, Logger: db.opts.Logger, Peers: db.others})
	if err != nil {
		return err
	}
	db.door = door
	return db.catalog.TellAddress(ctx, door.Addr())
}

// others lists the other servers of the store.
func (db *DB) others(ctx context.Context) ([]peers.Peer, error) {
	list, err := db.catalog.Servers(ctx)
	out := make([]peers.Peer, len(list))
	for i := range list {
		out[i] = peers.Peer{ID: list[i].ID(), Addr: list[i].Addr, Slot: list[i].Slot}
	}
	return out, err
}
