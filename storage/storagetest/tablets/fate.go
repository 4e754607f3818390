package tablets

import (
	"math/rand/v2"
	"time"

	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/durationpb"
)

// How says where a stream of rows breaks.
type How int

const (
	Before  How = iota // the row has not begun
	Within             // some of its chunks have come, the last has not
	After              // the row is whole
	Scanned            // the row has not begun, and a message has told how far the scan has got
	Quietly            // not at all: the message ends, and another tells how far the scan has got
	hows
)

func (h How) String() string {
	return [...]string{"before", "within", "after", "scanned", "quietly"}[h]
}

// Hows are all of them.
func Hows() []How { return []How{Before, Within, After, Scanned, Quietly} }

// maxParts is about how many chunks a value is cut into, so that large ones do not take minutes.
const maxParts = 200

// fate is what becomes of a stream of rows.
type fate struct {
	rows    int // after so many rows the stream breaks; -1: never
	how     How
	err     error
	chunks  int  // of a message, about
	inRows  bool // messages may end within rows
	value   int  // most bytes of a value in a chunk, but for what maxParts asks; 0: all
	reset   int  // every so-manieth row is begun, reset, and sent whole; 0: none
	scanned bool // tell at a tablet's end how far the scan has got
}

func (o *Options) fate(r *rand.Rand) fate {
	f := fate{rows: -1, chunks: 1 + r.IntN(40)}
	if one(r, o.Reads) {
		f.rows = r.IntN(1 << r.IntN(6))
		f.how = How(r.IntN(int(hows)))
		f.err = moved(r)
	}
	f.inRows = r.IntN(3) == 0
	if r.IntN(3) == 0 {
		f.value = 1 + r.IntN(6)
	}
	if r.IntN(3) == 0 {
		f.reset = 1 + r.IntN(5)
	}
	f.scanned = r.IntN(2) == 0
	return f
}

func one(r *rand.Rand, n int) bool { return n > 0 && r.IntN(n) == 0 }

// moved is an error that says that a tablet is elsewhere. Mostly it says too
// when to come again; without, a client waits for as long as it thinks right.
func moved(r *rand.Rand) error {
	code := codes.Unavailable
	if r.IntN(4) == 0 {
		code = codes.Aborted
	}
	st := status.New(code, "the tablet is being moved")
	if r.IntN(200) > 0 {
		st = soon(st)
	}
	return st.Err()
}

// busy is the refusal of a write by a tablet that is loading. That it is
// RESOURCE_EXHAUSTED says that nothing was applied; UNAVAILABLE would not.
func busy(r *rand.Rand) error {
	st := status.New(codes.ResourceExhausted, "the tablet is being loaded")
	if r.IntN(200) > 0 {
		st = soon(st)
	}
	return st.Err()
}

// soon asks to come again at once.
func soon(st *status.Status) *status.Status {
	with, err := st.WithDetails(&errdetails.RetryInfo{RetryDelay: durationpb.New(time.Microsecond)})
	if err != nil {
		return st
	}
	return with
}
