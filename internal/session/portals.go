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
