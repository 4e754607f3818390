package bound

// Where tells where a value of SQL lies among those that can be stored.
type Where uint8

const (
	Exactly Where = iota
	Above         // between two storable values, the lower of which is given
	Beyond        // over all storable values
	Beneath       // under all storable values
	Nowhere       // the column's bytes do not sort as its values do
)

// Place is where a bound lies: bounds need not be storable (1000 for a
// TINYINT, a text longer than its column), but what they admit must be found.
type Place struct {
	Lo, Hi []byte // the first and last encoding of the value, mostly the same
	Where  Where
	Loose  bool // Lo and Hi may enclose other values
}

// At is the place of a value that is stored as b.
func At(b []byte) Place { return Place{Lo: b, Hi: b} }

// JustUnder is the place of a value that lies above b, and under all that is stored above it.
func JustUnder(b []byte) Place { return Place{Lo: b, Hi: b, Where: Above} }

// Lower gives the cut for values over p; loose bounds err on the wide side.
func (p Place) Lower(incl bool) Cut {
	switch {
	case p.Where == Beneath || p.Where == Nowhere:
		return Begin
	case p.Where == Beyond:
		return End
	case p.Where == Exactly && (incl || p.Loose):
		return Before(p.Lo)
	}
	return After(p.Hi)
}

// Upper gives the cut for values under p.
func (p Place) Upper(incl bool) Cut {
	switch {
	case p.Where == Beneath:
		return Begin
	case p.Where == Beyond || p.Where == Nowhere:
		return End
	case p.Where == Exactly && !incl && !p.Loose:
		return Before(p.Lo)
	}
	return After(p.Hi)
}
