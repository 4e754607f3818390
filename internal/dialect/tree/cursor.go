package tree

// DeclareCursor is DECLARE … CURSOR FOR query.
type DeclareCursor struct {
	Name        string
	Binary      bool
	Insensitive bool
	Asensitive  bool
	Scroll      bool
	NoScroll    bool
	Hold        bool
	Query       *Statement
}

// FetchDirection is where FETCH goes.
type FetchDirection uint8

// The directions of FETCH. NEXT is Forward 1, PRIOR Backward 1, FIRST
// Absolute 1, LAST Absolute -1.
const (
	FetchForward FetchDirection = iota
	FetchBackward
	FetchAbsolute
	FetchRelative
)

// Fetch is FETCH or MOVE.
type Fetch struct {
	Move      bool
	Direction FetchDirection
	Count     int64
	All       bool // FORWARD ALL, BACKWARD ALL
	Cursor    string
}

// CloseCursor is CLOSE.
type CloseCursor struct {
	Name string
	All  bool
}

func (*DeclareCursor) Tag() string { return "DECLARE CURSOR" }

func (f *Fetch) Tag() string {
	if f.Move {
		return "MOVE"
	}
	return "FETCH"
}

func (c *CloseCursor) Tag() string {
	if c.All {
		return "CLOSE CURSOR ALL"
	}
	return "CLOSE CURSOR"
}
