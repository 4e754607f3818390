package expr

import "github.com/saltsql/saltsql/internal/types"

// Choosing an overload, as func_select_candidate in Postgres's parser does. The
// rules are in its manual, chapter "Type Conversion".

// fewFits is how many overloads that fit are told apart without allocating.
const fewFits = 16

// selectCandidate picks the best of overloads for arguments of types args; Unknown
// marks untyped literals and parameters. nil if none fits or no one is best.
func selectCandidate(args []types.T, overloads []*Func) *Func {
	var room, room2 [fewFits]*Func
	cands := keep(room[:0], overloads, func(f *Func) bool { return f.fits(args) })
	if len(cands) <= 1 {
		return only(cands)
	}
	// Most exact matches.
	cands = keepBest(cands, func(f *Func) int {
		n := 0
		for i, a := range args {
			if a.Kind != types.Unknown && f.arg(i) == a {
				n++
			}
		}
		return n
	})
	if len(cands) == 1 {
		return cands[0]
	}
	// Most exact matches or preferred types where a conversion is needed.
	cands = keepBest(cands, func(f *Func) int {
		n := 0
		for i, a := range args {
			if a.Kind != types.Unknown && (f.arg(i) == a || preferred(f.arg(i), a.Category())) {
				n++
			}
		}
		return n
	})
	if len(cands) == 1 {
		return cands[0]
	}
	return byUnknowns(args, cands, room2[:0])
}

func only(cands []*Func) *Func {
	if len(cands) == 1 {
		return cands[0]
	}
	return nil
}

// keep appends to out those of cands that are ok.
func keep(out, cands []*Func, ok func(*Func) bool) []*Func {
	for _, f := range cands {
		if ok(f) {
			out = append(out, f)
		}
	}
	return out
}

// keepBest keeps, in the place of cands, those of the highest score.
func keepBest(cands []*Func, score func(*Func) int) []*Func {
	best := -1
	out := cands[:0]
	for _, f := range cands {
		switch n := score(f); {
		case n > best:
			best = n
			out = append(out[:0], f)
		case n == best:
			out = append(out, f)
		}
	}
	return out
}

func preferred(t types.T, category byte) bool {
	return t.Kind < types.NumKinds && t.Category() == category && t.Preferred()
}

// byUnknowns decides by what the candidates take where arguments are untyped:
// strings first, else a category all agree on, else the type of the others. rest is room to
// work in.
func byUnknowns(args []types.T, cands, rest []*Func) *Func {
	unknowns := 0
	resolved := true
	rest = append(rest, cands...)
	for i, a := range args {
		if a.Kind != types.Unknown {
			continue
		}
		unknowns++
		category, hasPreferred, ok := slotCategory(cands, i)
		if !ok {
			resolved = false
			break
		}
		rest = keep(rest[:0], rest, func(f *Func) bool {
			t := f.arg(i)
			if categoryOf(t) != category {
				return false
			}
			return !hasPreferred || t.Preferred()
		})
		if len(rest) == 0 {
			resolved = false
			break
		}
	}
	if unknowns == 0 {
		return nil
	}
	if resolved {
		if f := only(rest); f != nil {
			return f
		}
		cands = rest
	}
	// Assume that the untyped arguments are of the type that the others share.
	known := types.Of(types.Unknown)
	for _, a := range args {
		switch {
		case a.Kind == types.Unknown:
		case known.Kind == types.Unknown:
			known = a
		case known != a:
			return nil
		}
	}
	if known.Kind == types.Unknown {
		return nil
	}
	assumed := make([]types.T, len(args))
	for i := range assumed {
		assumed[i] = known
	}
	return only(keep(rest[:0], cands, func(f *Func) bool { return acceptsAll(f, assumed) }))
}

// slotCategory gives the type category to assume for untyped argument i.
func slotCategory(cands []*Func, i int) (category byte, hasPreferred, ok bool) {
	conflict := false
	for _, f := range cands {
		t := f.arg(i)
		c := categoryOf(t)
		pref := t.Kind < types.NumKinds && t.Preferred()
		switch {
		case category == 0:
			category, hasPreferred = c, pref
		case c == category:
			hasPreferred = hasPreferred || pref
		case c == 'S':
			category, hasPreferred = c, pref
		default:
			conflict = true
		}
	}
	return category, hasPreferred, !conflict || category == 'S'
}

func categoryOf(t types.T) byte {
	if t.Kind >= types.NumKinds {
		return 'P'
	}
	return t.Category()
}

// fits says that f can be called with arguments of types args.
func (f *Func) fits(args []types.T) bool { return f.accepts(len(args)) && acceptsAll(f, args) }

// severalFit says that the arguments fit more than one of cands.
func severalFit(cands []*Func, args []types.T) bool {
	n := 0
	for _, f := range cands {
		if f.fits(args) {
			n++
		}
	}
	return n > 1
}

func acceptsAll(f *Func, args []types.T) bool {
	var elem types.T
	var common []types.T
	for i, a := range args {
		want := f.arg(i)
		switch want.Kind {
		case KindAny:
			continue
		case KindAnyCompatible:
			common = append(common, a)
		case KindAnyNonArray:
			if a.Kind == types.Array {
				return false
			}
		case KindAnyArray, KindAnyCompatibleArray:
			if a.Kind == types.Unknown {
				continue
			}
			if a.Kind != types.Array {
				return false
			}
			if want.Kind == KindAnyArray {
				if elem.Kind != types.Unknown && elem != a.ElemType() {
					return false
				}
				elem = a.ElemType()
			} else {
				common = append(common, a.ElemType())
			}
		case KindAnyElement, KindAnyEnum:
			if a.Kind == types.Unknown {
				continue
			}
			if want.Kind == KindAnyEnum && a.Kind != types.Enum {
				return false
			}
			if elem.Kind != types.Unknown && elem != a {
				return false
			}
			elem = a
		default:
			if !canCoerce(a, want, Implicit) {
				return false
			}
		}
	}
	if len(common) > 1 {
		t, bad := commonOf(common)
		if bad >= 0 {
			return false
		}
		for _, c := range common {
			if !canCoerce(c, t, Implicit) {
				return false
			}
		}
	}
	return true
}

// canCoerce says whether a value of type from can become to in the context.
func canCoerce(from, to types.T, ctx CastContext) bool {
	if from == to || from.Kind == types.Unknown {
		return true
	}
	_, ok := FindCast(from, to, ctx)
	return ok
}
