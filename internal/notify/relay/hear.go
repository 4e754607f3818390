package relay

import "context"

// Hear takes a letter that has come by the door, unless it was heard; full says that there is no
// room for it now.
func (r *Relay) Hear(ctx context.Context, l Letter) (full bool, err error) {
	r.in.Lock()
	defer r.in.Unlock()
	if was := r.from[l.From]; was.stream != l.Stream && l.Seq > 1 || l.Seq > was.last+1 {
		// What comes before it may lie in the store.
		if err := r.look(ctx); err != nil {
			return false, err
		}
	}
	return !r.hear(l), nil
}

// hear tells a letter to the hub; false where that has no room. in is held.
func (r *Relay) hear(l Letter) bool {
	was := r.from[l.From]
	if was.stream == l.Stream && l.Seq <= was.last {
		return true
	}
	if !r.hub.Hear(l.List) {
		return false
	}
	if l.Stream >= was.stream {
		r.from[l.From] = heard{l.Stream, l.Seq}
	}
	return true
}

// Look hears what lies in the store for this server, and forgets servers that are no more. It is
// called once in a while.
func (r *Relay) Look(ctx context.Context) error {
	r.in.Lock()
	defer r.in.Unlock()
	return r.look(ctx)
}

func (r *Relay) look(ctx context.Context) error { return r.ways.Letters(ctx, r.hear) }

// Forget forgets what has come from servers that are no more.
func (r *Relay) Forget(gone func(server string) bool) {
	r.in.Lock()
	defer r.in.Unlock()
	for server := range r.from {
		if gone(server) {
			delete(r.from, server)
		}
	}
}
