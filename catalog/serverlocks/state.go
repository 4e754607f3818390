package serverlocks

import "slices"

// entry is a server that holds a lock, or waits for it.
type entry struct {
	Server    string `json:"m"`
	Join      int64  `json:"j"`
	Exclusive bool   `json:"x,omitempty"`
}

// state is what a lock's row says.
type state struct {
	Holds []entry `json:"holds,omitempty"`
	Waits []entry `json:"waits,omitempty"` // in the order of coming
}

func (st state) empty() bool { return len(st.Holds)+len(st.Waits) == 0 }

func (st state) equal(other state) bool {
	return slices.Equal(st.Holds, other.Holds) && slices.Equal(st.Waits, other.Waits)
}

// without is the state without the entries of which gone is true.
func (st state) without(gone func(entry) bool) state {
	return state{
		Holds: slices.DeleteFunc(slices.Clone(st.Holds), gone),
		Waits: slices.DeleteFunc(slices.Clone(st.Waits), gone),
	}
}

func conflicts(list []entry, me entry) bool {
	return slices.ContainsFunc(list, func(e entry) bool { return e.Server != me.Server && (e.Exclusive || me.Exclusive) })
}

// held says that other servers hold the lock in a mode that keeps me from it.
func (st state) held(me entry) bool { return conflicts(st.Holds, me) }

// queued says that other servers wait for the lock before me. A server that holds it does not queue.
func (st state) queued(me entry) bool {
	own := func(e entry) bool { return e.Server == me.Server }
	if slices.ContainsFunc(st.Holds, own) {
		return false
	}
	ahead := st.Waits
	if i := slices.IndexFunc(ahead, own); i >= 0 {
		ahead = ahead[:i]
	}
	return conflicts(ahead, me)
}

// granted is the state once me has the lock, beside what it holds of it already.
func (st state) granted(me entry) state {
	next := st.without(func(e entry) bool {
		if e.Server != me.Server {
			return false
		}
		me.Exclusive = me.Exclusive || e.Exclusive && slices.Contains(st.Holds, e)
		return true
	})
	next.Holds = append(next.Holds, me)
	return next
}

// waiting is the state once me waits for the lock.
func (st state) waiting(me entry) state {
	for i, w := range st.Waits {
		if w.Server == me.Server {
			next := st.without(func(entry) bool { return false })
			next.Waits[i] = me
			return next
		}
	}
	return state{Holds: st.Holds, Waits: append(slices.Clone(st.Waits), me)}
}

// of is the state in which me holds the lock or does not, and waits for it still or does not.
func (st state) of(me entry, holds, waits bool) state {
	own := func(e entry) bool { return e.Server == me.Server }
	next := st.without(func(e entry) bool { return own(e) && e.Join != me.Join })
	if !waits {
		next.Waits = slices.DeleteFunc(next.Waits, own)
	}
	switch i := slices.IndexFunc(next.Holds, own); {
	case holds && i < 0:
		next.Holds = append(next.Holds, me)
	case holds:
		next.Holds[i] = me
	case i >= 0:
		next.Holds = slices.Delete(next.Holds, i, i+1)
	}
	return next
}
