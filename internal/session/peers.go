package session

import (
	"context"
	"encoding/json"
	"time"

	"github.com/saltsql/saltsql/internal/peers"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// What servers of one store ask each other by the door of internal/peers. Bodies are JSON, so that
// servers of two releases understand what both know.
const (
	askSessions = "sessions" // []pgcatalog.Activity
	askLocks    = "locks"    // []pgcatalog.Lock
	askSignal   = "signal"   // signal -> signalled
)

// patience is how long a server waits for what others say of themselves.
const patience = time.Second

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
	answer(db, askSessions, func(context.Context, struct{}) (any, error) { return db.Activity(), nil })
	answer(db, askLocks, func(context.Context, struct{}) (any, error) { return db.Locks(), nil })
	answer(db, askSignal, db.signalled)
	return db.catalog.TellAddress(ctx, door.Addr())
}

// answer has requests of a kind answered.
func answer[Q any](db *DB, kind string, with func(ctx context.Context, q Q) (any, error)) {
	db.door.Handle(kind, func(ctx context.Context, _ string, body []byte) ([]byte, error) {
		var q Q
		if err := json.Unmarshal(body, &q); err != nil {
			return nil, err
		}
		a, err := with(ctx, q)
		if err != nil {
			return nil, err
		}
		return json.Marshal(a)
	})
}

// others lists the other servers of the store.
func (db *DB) others(ctx context.Context) ([]peers.Peer, error) {
	list, err := db.catalog.Others(ctx)
	out := make([]peers.Peer, len(list))
	for i := range list {
		out[i] = peers.Peer{ID: list[i].ID(), Addr: list[i].Addr, Slot: list[i].Slot}
	}
	return out, err
}

// askOthers shows what each other server of the store says. Of one that does not answer in time,
// and of all where this server has no door, a WARNING says what is missing.
func askOthers[A any](ctx context.Context, s *Session, kind string, question any, missing string, show func(p peers.Peer, a A)) error {
	db := s.db
	if !db.shared {
		return nil
	}
	if db.door == nil {
		if list, err := db.others(ctx); err != nil || len(list) == 0 {
			return err
		}
		s.notice(sqlerr.Warn(sqlerr.Warning, "%s of other servers are not known: this one has no door", missing).WithHint("Start it without --peers off."))
		return nil
	}
	body, err := json.Marshal(question)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answers, err := db.door.AskAll(ctx, kind, body)
	for _, answer := range answers {
		var a A
		if answer.Err == nil {
			answer.Err = json.Unmarshal(answer.Body, &a)
		}
		if answer.Err != nil {
			s.notice(sqlerr.Warn(sqlerr.Warning, "%s of server %s are not known: it does not answer", missing, answer.Peer.ID).WithDetail("%v", answer.Err))
			continue
		}
		show(answer.Peer, a)
	}
	return err
}

// slotBits are the bits of a PID above those that number the sessions of one server: 16 servers,
// and PIDs stay above 0.
const slotBits = 26

// FirstPID gives the PID from which this server numbers its sessions, and how many there are. Those of
// two servers have none in common.
func (db *DB) FirstPID() (first, n int32) {
	return db.slot.Load() << slotBits, 1 << slotBits
}

// HandlePeers has a kind of what servers of the store ask each other answered by who knows more
// than sessions: it does nothing where this server has no door.
func (db *DB) HandlePeers(kind string, h peers.Handler) {
	if db.door != nil {
		db.door.Handle(kind, h)
	}
}

// AskOwner asks the server that has numbered a session: nothing where that is this one, or none.
func (db *DB) AskOwner(ctx context.Context, pid int32, kind string, body []byte) ([]byte, error) {
	if db.door == nil || pid>>slotBits == db.slot.Load() {
		return nil, nil
	}
	list, err := db.others(ctx)
	for _, p := range list {
		if int32(p.Slot) == pid>>slotBits {
			return db.door.Ask(ctx, p, kind, body)
		}
	}
	return nil, err
}
