package tree

// Window is an OVER clause or a definition of a WINDOW clause.
type Window struct {
	Pos
	// Ref is the window named by OVER name, or the one that OVER (name …)
	// starts from.
	Ref string
	// Bare is true for OVER name without parentheses.
	Bare        bool
	PartitionBy []Expr
	OrderBy     []OrderItem
	Frame       *Frame // nil: none written
}

// NamedWindow is one definition of a WINDOW clause.
type NamedWindow struct {
	Name string
	Window
}

// FrameMode is the unit of a frame.
type FrameMode uint8

// The units of a frame.
const (
	Rows FrameMode = iota + 1
	Range
	Groups
)

// BoundKind is where a frame starts or ends.
type BoundKind uint8

// The bounds of a frame.
const (
	UnboundedPreceding BoundKind = iota + 1
	OffsetPreceding
	CurrentRow
	OffsetFollowing
	UnboundedFollowing
)

// Bound is one end of a frame; Offset is set for the two offset kinds.
type Bound struct {
	Kind   BoundKind
	Offset Expr
}

// Exclusion is a frame's EXCLUDE clause.
type Exclusion uint8

// The exclusions of a frame.
const (
	ExcludeNoOthers Exclusion = iota
	ExcludeCurrentRow
	ExcludeGroup
	ExcludeTies
)

// Frame is a window frame. With one bound written, End is CurrentRow.
type Frame struct {
	Mode       FrameMode
	Start, End Bound
	Exclude    Exclusion
	// Between tells whether both bounds were written.
	Between bool
}
