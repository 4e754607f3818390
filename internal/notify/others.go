package notify

import (
	"context"
	"time"
)

// Others are the hubs of other servers.
type Others struct {
	// Tell tells them what Listening gives; they send nothing else.
	Tell func(ctx context.Context) error
	// Room says whether they can take notifications: 54000.
	Room func() error
	// Send sends them what has committed here, in the order of calls; done is closed when they have it.
	Send func(list []Notification) (done <-chan struct{})
	// Patience is how long a commit waits for that at most.
	Patience time.Duration
}

// Connect has the hub's clients tell those of others, and Hear them. It is called before Begin is.
func (h *Hub) Connect(o Others) { h.others = &o }

func (o *Others) await(ctx context.Context, done <-chan struct{}) {
	t := time.NewTimer(o.Patience)
	defer t.Stop()
	select {
	case <-done:
	case <-t.C:
	case <-ctx.Done():
	}
}

// toldBytes is how much of channels' names others are told, before it is that all are listened to.
const toldBytes = 1024

// Listening gives the channels that clients listen to, or are about to; with all it is every one.
func (h *Hub) Listening() (channels []string, all bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	add := func(channel string) bool {
		n += len(channel) + 1
		channels = append(channels, channel)
		return n <= toldBytes
	}
	for channel := range h.listeners {
		if !add(channel) {
			return nil, true
		}
	}
	for channel := range h.expected {
		if h.listeners[channel] == nil && !add(channel) {
			return nil, true
		}
	}
	return channels, false
}

// Busy says that a client listens to something.
func (h *Hub) Busy() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.listeners) > 0
}

// expect tells others of channels that a transaction listens to, before it commits.
func (h *Hub) expect(ctx context.Context, asked []listening) error {
	if h.others == nil {
		return nil
	}
	fresh := false
	h.mu.Lock()
	if h.expected == nil {
		h.expected = map[string]int{}
	}
	for _, a := range asked {
		if !a.stop {
			fresh = fresh || h.listeners[a.channel] == nil
			h.expected[a.channel]++
		}
	}
	h.mu.Unlock()
	if !fresh {
		return nil
	}
	err := h.others.Tell(ctx)
	if err != nil {
		h.forget(asked)
	}
	return err
}

// forget ends what expect began.
func (h *Hub) forget(asked []listening) {
	if h.others == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range asked {
		if a.stop {
			continue
		}
		if h.expected[a.channel]--; h.expected[a.channel] == 0 {
			delete(h.expected, a.channel)
		}
	}
}

// Hear gives clients what was sent on another server; false where it has no room in their inboxes.
func (h *Hub) Hear(list []Notification) bool {
	h.mu.Lock()
	if h.waiting > 0 && h.room(h.takes(list)) != nil {
		h.mu.Unlock()
		return false
	}
	woken := h.give(list)
	h.mu.Unlock()
	for _, to := range woken {
		to.wake()
	}
	return true
}
