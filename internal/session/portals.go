package session

// portals are those of a session. Most statements run in the unnamed one, which is in no map.
type portals struct {
	unnamed *Portal
	named   map[string]*Portal
}

func (ps *portals) get(name string) *Portal {
	if name == "" {
		return ps.unnamed
	}
	return ps.named[name]
}

func (ps *portals) put(p *Portal) {
	if p.named == nil {
		ps.unnamed = p
		return
	}
	if ps.named == nil {
		ps.named = map[string]*Portal{}
	}
	ps.named[p.as] = p
}

func (ps *portals) remove(p *Portal) {
	if p.named == nil {
		ps.unnamed = nil
		return
	}
	delete(ps.named, p.as)
}

func (ps *portals) len() int {
	n := len(ps.named)
	if ps.unnamed != nil {
		n++
	}
	return n
}

// all visits each; it may be removed meanwhile.
func (ps *portals) all(visit func(*Portal) bool) {
	if p := ps.unnamed; p != nil && !visit(p) {
		return
	}
	for _, p := range ps.named {
		if !visit(p) {
			return
		}
	}
}

// newPortal gives a portal over st that nobody knows yet: one that was released, or a new one.
func (s *Session) newPortal(st *Stmt) *Portal {
	p := s.free
	if p == nil {
		p = new(Portal)
	}
	s.free = nil
	p.s, p.stmt, p.cols = s, st, st.cols
	return p
}

// maxKeptParams is for how many parameters a released portal keeps room.
const maxKeptParams = 64

// Release ends a portal as ClosePortal does, and the caller uses it no more: the session may
// have it again for another statement. It must be called once.
func (p *Portal) Release() {
	s := p.s
	if s.portals.get(p.name()) == p {
		s.ClosePortal(p.name())
	}
	// Whoever may still look at it keeps it: a cursor, what COPY runs beside, who cancels late.
	if !p.released || p.named != nil || p.running.unsure || p.run != &p.q || p.ctx.Err() != nil {
		return
	}
	room := p.vals
	clear(room)
	if cap(room) > maxKeptParams {
		room = nil
	}
	*p = Portal{vals: room[:0]}
	s.free = p
}
