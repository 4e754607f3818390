package txn

import "iter"

// lookup finds things by name: few by looking at each, since most transactions write a few
// rows of a few tables, more by a map.
type lookup[T hasName] struct {
	few   []T
	first [4]T         // what few starts as
	by    map[string]T // nil while they are few
}

type hasName interface {
	comparable
	named() string
}

// fewNames is up to how many looking at each costs less than a map.
const fewNames = 8

// find gives the one of a name, or the zero T. It does not keep the name.
func (l *lookup[T]) find(name string) (none T) {
	if l.by != nil {
		return l.by[name]
	}
	for _, t := range l.few {
		if t.named() == name {
			return t
		}
	}
	return none
}

// add takes one whose name is new.
func (l *lookup[T]) add(t T) {
	if l.by == nil && len(l.few) < fewNames {
		if l.few == nil {
			l.few = l.first[:0]
		}
		l.few = append(l.few, t)
		return
	}
	if l.by == nil {
		l.by = make(map[string]T, 2*fewNames)
		for _, f := range l.few {
			l.by[f.named()] = f
		}
		l.few, l.first = nil, [4]T{}
	}
	l.by[t.named()] = t
}

func (l *lookup[T]) len() int { return len(l.few) + len(l.by) }

// all gives them in no order.
func (l *lookup[T]) all() iter.Seq[T] {
	return func(yield func(T) bool) {
		for _, t := range l.few {
			if !yield(t) {
				return
			}
		}
		for _, t := range l.by {
			if !yield(t) {
				return
			}
		}
	}
}
