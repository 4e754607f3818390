package expr

// State is what calls read and change beside the values of their row, so that one call of a
// statement can see what another did: the order of such calls is part of the answer.
type State uint8

const (
	NoState      State = iota
	OfSequences        // and what currval and lastval tell of them
	OfParameters       // of the session, which set_config sets
	OfLocks            // advisory ones
	OfClock            // which pg_sleep waits for
	OfRandom           // and its seed
	OfMessages         // of NOTIFY
	States             // how many there are
)

// Reads makes f be called for every row, and see what calls that change s did.
func (f *Func) Reads(s State) *Func {
	f.State = s
	f.Volatile = f.Volatile || !f.Stable
	return f
}

// Changes makes f be called for every row, and change what other calls see of s.
func (f *Func) Changes(s State) *Func {
	f.State, f.ChangesState, f.Volatile = s, true, true
	return f
}
