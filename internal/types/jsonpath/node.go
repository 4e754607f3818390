package jsonpath

import (
	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/expr/regex"
)

// Op is what a Node is.
type Op uint8

// The operations: predicates first, then operators on numbers, then what stands or follows
// in a path.
const (
	Or Op = iota
	And
	Not
	IsUnknown
	Exists
	Equal
	NotEqual
	Less
	Greater
	LessEqual
	GreaterEqual
	StartsWith
	LikeRegex

	Add
	Sub
	Mul
	Div
	Mod
	Plus // with one operand
	Minus

	Null
	True
	False
	Number   // Num
	String   // Str
	Variable // Str
	Root     // $
	Current  // @
	Last

	Key        // .Str
	AnyKey     // .*
	AnyLevel   // .**{From to To}
	AnyElement // [*]
	Index      // [Subs]
	Filter     // ?(Left)
	Type
	Size
	Double
	Ceiling
	Floor
	Abs
	KeyValue
	Datetime // Left is the template, a String, or nil
)

// LastLevel is the bound of ** that means the lowest level.
const LastLevel = ^uint32(0)

// Node is a part of a path; Next follows it.
type Node struct {
	Op          Op
	Left, Right *Node // operands; those with one have Left
	Next        *Node
	Str         string
	Num         *apd.Decimal
	From, To    uint32
	Subs        []Subscript
	Flags       Flags        // of LikeRegex
	Regex       *regex.Regex // of LikeRegex, compiled

	height int // of the tree below the first of a chain
}

// Subscript is one part of an Index: From alone, or From to To.
type Subscript struct{ From, To *Node }

// Path is a jsonpath.
type Path struct {
	Lax  bool
	Root *Node
}

// Flags are those of like_regex.
type Flags uint8

// The flags, in the order in which they are printed.
const (
	FlagI Flags = 1 << iota
	FlagS
	FlagM
	FlagX
	FlagQ
)

const flagLetters = "ismxq"

// predicate says that n is a condition, which is no operand of what takes values.
func (n *Node) predicate() bool { return n.Op.Predicate() && n.Next == nil }

// Predicate says that an operation gives true, false or unknown.
func (o Op) Predicate() bool { return o <= LikeRegex }

// Name is the operator or the method as paths write it.
func (o Op) Name() string { return names[o] }

var names = map[Op]string{
	Or: "||", And: "&&", Equal: "==", NotEqual: "!=", Less: "<", Greater: ">", LessEqual: "<=", GreaterEqual: ">=",
	StartsWith: "starts with", LikeRegex: "like_regex", Add: "+", Sub: "-", Mul: "*", Div: "/", Mod: "%", Plus: "+", Minus: "-",
	Type: "type", Size: "size", Double: "double", Ceiling: "ceiling", Floor: "floor", Abs: "abs", KeyValue: "keyvalue", Datetime: "datetime",
}
