package change

import "github.com/saltsql/saltsql/catalog"

// block says what cannot be dropped, and because of what.
type block struct{ what, who, on string }

// Block notes that something is not to be dropped, for who depends on it, or on another thing
// that would go with it. The change fails with 2BP01, once all that hinders it is known.
func (ch *Change) Block(what, who, on string) {
	if ch.blockers[who] {
		return
	}
	if ch.blockers == nil {
		ch.blockers = map[string]bool{}
	}
	ch.blockers[who] = true
	ch.blocks = append(ch.blocks, block{what, who, on})
}

// Blocked is the error of what was noted; nil without.
func (ch *Change) Blocked() error {
	if len(ch.blocks) == 0 {
		return nil
	}
	why := make([]string, len(ch.blocks))
	for i, b := range ch.blocks {
		why[i] = b.who + " depends on " + b.on
	}
	if ch.Several {
		return catalog.DependentsExist("desired object(s)", "them", why)
	}
	return catalog.DependentsExist(ch.blocks[0].what, "it", why)
}
