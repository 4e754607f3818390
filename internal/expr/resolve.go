package expr

import (
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
)

// CastContext says who asks for a cast, which decides what is allowed.
type CastContext uint8

// The contexts, each allowing all that the one before allows.
const (
	Implicit   CastContext = iota // an operator's or a function's argument
	Assignment                    // a value stored into a column
	Explicit                      // CAST and ::
)

var errNotYet = sqlerr.New(sqlerr.FeatureNotSupported, "not there yet")

// ResolveOp chooses the overload of operator name for its operands (left is nil
// for a prefix operator) and gives the call with the casts it needs. Names are
// Postgres's: = <> < <= > >= + - * / % ^ & | # ~ << >> || ~~ !~~ ~~* !~~* ~ ~*
// !~ !~* -> ->> #> #>> @> <@ && ? and prefix + - ~ @ |/ ||/. != is <>. AND, OR
// and NOT are nodes of their own. 42883 if none fits, 42725 if several do.
func ResolveOp(name string, left, right Expr, pos int) (Expr, error) { return nil, errNotYet }

// ResolveFunc chooses the overload of function name. coalesce, nullif, greatest
// and least are accepted by name too.
func ResolveFunc(name string, args []Expr, pos int) (Expr, error) { return nil, errNotYet }

// ResolveCast converts x to type to, with to's modifier. 42846 if there is no
// such cast in the context.
func ResolveCast(x Expr, to types.T, ctx CastContext, pos int) (Expr, error) { return nil, errNotYet }

// ResolveAssign converts x for storing it in column: 42804 with Postgres's
// hint if there is no assignment cast.
func ResolveAssign(x Expr, column string, to types.T, pos int) (Expr, error) { return nil, errNotYet }

// ResolveUnknown gives an expression of unknown type (a bare literal or
// parameter) the type text; others are returned as they are.
func ResolveUnknown(x Expr) (Expr, error) { return nil, errNotYet }

// ResolveBool converts x, the argument of AND, OR, NOT, WHERE, … (named by
// context as in "argument of WHERE must be type boolean, not type integer"), to
// boolean: 42804.
func ResolveBool(x Expr, context string) (Expr, error) { return nil, errNotYet }

// SelectCommonType gives the type that CASE, UNION, ARRAY, VALUES and the like
// give to alternatives: 42804 "CASE types x and y cannot be matched".
func SelectCommonType(context string, exprs []Expr) (types.T, error) { return types.T{}, errNotYet }

// Unify casts exprs to their common type, in place of a new slice.
func Unify(context string, exprs []Expr) ([]Expr, types.T, error) { return nil, types.T{}, errNotYet }

// MakeAnd and MakeOr join boolean arguments: nested ones are flattened, a
// single one is returned as it is. Args must be boolean or unknown.
func MakeAnd(args []Expr, pos int) (Expr, error) { return nil, errNotYet }

// MakeOr is MakeAnd's twin.
func MakeOr(args []Expr, pos int) (Expr, error) { return nil, errNotYet }

// MakeNot negates x.
func MakeNot(x Expr, pos int) (Expr, error) { return nil, errNotYet }

// MakeIsNull makes X IS NULL.
func MakeIsNull(x Expr, pos int) (Expr, error) { return nil, errNotYet }

// MakeIsTest makes X IS [NOT] TRUE, FALSE or UNKNOWN; test is "true", "false"
// or "unknown".
func MakeIsTest(x Expr, test string, not bool, pos int) (Expr, error) { return nil, errNotYet }

// MakeIsDistinct makes X IS DISTINCT FROM Y.
func MakeIsDistinct(x, y Expr, pos int) (Expr, error) { return nil, errNotYet }

// MakeCase makes CASE [operand] WHEN … THEN … [ELSE …] END; operand and els may
// be nil.
func MakeCase(operand Expr, whens []When, els Expr, pos int) (Expr, error) { return nil, errNotYet }

// MakeCoalesce makes COALESCE(args).
func MakeCoalesce(args []Expr, pos int) (Expr, error) { return nil, errNotYet }

// MakeNullIf makes NULLIF(x, y).
func MakeNullIf(x, y Expr, pos int) (Expr, error) { return nil, errNotYet }

// MakeGreatest makes GREATEST(args), or LEAST(args).
func MakeGreatest(args []Expr, least bool, pos int) (Expr, error) { return nil, errNotYet }

// MakeIn makes X [NOT] IN (list).
func MakeIn(x Expr, list []Expr, not bool, pos int) (Expr, error) { return nil, errNotYet }

// MakeAnyAll makes X op ANY(array), or ALL with all.
func MakeAnyAll(op string, x, array Expr, all bool, pos int) (Expr, error) { return nil, errNotYet }

// MakeRowCmp compares two rows: op is one of = <> < <= > >=. 42601 "unequal
// number of entries in row expressions".
func MakeRowCmp(op string, l, r []Expr, pos int) (Expr, error) { return nil, errNotYet }

// MakeBetween makes x [NOT] BETWEEN [SYMMETRIC] lo AND hi.
func MakeBetween(x, lo, hi Expr, not, symmetric bool, pos int) (Expr, error) { return nil, errNotYet }

// MakeArrayExpr makes ARRAY[elems]; 42P18 if it is empty (cast it: the caller
// then uses ResolveCast on the result of EmptyArray).
func MakeArrayExpr(elems []Expr, pos int) (Expr, error) { return nil, errNotYet }

// MakeSubscript makes x[i].
func MakeSubscript(x, i Expr, pos int) (Expr, error) { return nil, errNotYet }
