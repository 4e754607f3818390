package builtin

import (
	"bytes"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/expr/eval"
	"github.com/saltsql/saltsql/internal/expr/regex"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// The operators ~ ~* !~ !~*, SIMILAR TO and the regexp functions: package regex
// over vectors.

func init() {
	for _, op := range []struct {
		name  string
		flags regex.Flags
		not   bool
	}{{"~", 0, false}, {"!~", 0, true}, {"~*", regex.IgnoreCase, false}, {"!~*", regex.IgnoreCase, true}} {
		for _, t := range []types.T{tText, tBpchar, tName} {
			expr.RegisterOps(fn(op.name, ts(t, tText), tBool, regexKernel(op.flags, op.not)))
		}
	}
	similar := func(dst []byte, pattern []byte, escape string) ([]byte, error) {
		s, err := regex.Similar(string(pattern), escape)
		return append(dst, s...), err
	}
	expr.RegisterFuncs(
		fn("similar_to_escape", ts(tText), tText, t1(func(dst, p []byte) ([]byte, error) { return similar(dst, p, `\`) })),
		fn("similar_to_escape", ts(tText, tText), tText, t2(func(dst, p, e []byte) ([]byte, error) { return similar(dst, p, string(e)) })),
		fn("substring", ts(tText, tText), tText, datumKernel(regexSubstring)),
		// substring(x SIMILAR pattern ESCAPE escape)
		fn("substring", ts(tText, tText, tText), tText, datumKernel(similarSubstring)),
		fn("regexp_match", ts(tText, tText), tTexts, datumKernel(regexpMatch)),
		fn("regexp_match", ts(tText, tText, tText), tTexts, datumKernel(regexpMatch)),
		fn("regexp_like", ts(tText, tText), tBool, datumKernel(regexpLike)),
		fn("regexp_like", ts(tText, tText, tText), tBool, datumKernel(regexpLike)),
		fn("regexp_count", ts(tText, tText), tInt4, datumKernel(regexpCount)),
		fn("regexp_count", ts(tText, tText, tInt4), tInt4, datumKernel(regexpCount)),
		fn("regexp_count", ts(tText, tText, tInt4, tText), tInt4, datumKernel(regexpCount)),
		fn("regexp_replace", ts(tText, tText, tText), tText, datumKernel(regexpReplace)),
		fn("regexp_replace", ts(tText, tText, tText, tText), tText, datumKernel(regexpReplace)),
		fn("regexp_replace", ts(tText, tText, tText, tInt4), tText, datumKernel(regexpReplaceFrom)),
		fn("regexp_replace", ts(tText, tText, tText, tInt4, tInt4), tText, datumKernel(regexpReplaceFrom)),
		fn("regexp_replace", ts(tText, tText, tText, tInt4, tInt4, tText), tText, datumKernel(regexpReplaceFrom)),
		fn("regexp_split_to_array", ts(tText, tText), tTexts, datumKernel(regexpSplit("regexp_split_to_array"))),
		fn("regexp_split_to_array", ts(tText, tText, tText), tTexts, datumKernel(regexpSplit("regexp_split_to_array"))),
	)
	args := []types.T{tText, tText, tInt4, tInt4, tText, tInt4}
	for n := 2; n <= len(args); n++ {
		expr.RegisterFuncs(fn("regexp_substr", args[:n], tText, datumKernel(regexpSubstr)))
	}
	args = []types.T{tText, tText, tInt4, tInt4, tInt4, tText, tInt4}
	for n := 2; n <= len(args); n++ {
		expr.RegisterFuncs(fn("regexp_instr", args[:n], tInt4, datumKernel(regexpInstr)))
	}
}

// regexKernel looks a pattern up once for rows in a row that have the same.
func regexKernel(flags regex.Flags, not bool) expr.Kernel {
	return func(env *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		var last []byte
		var re *regex.Regex
		pad := padder(args[0].Type)
		for _, i := range sel {
			if p := args[1].Bytes[i]; re == nil || !bytes.Equal(last, p) {
				var err error
				if re, err = compileRegex(env, string(p), flags); err != nil {
					return err
				}
				last = p
			}
			out.Bools[i] = re.Match(pad(args[0].Bytes[i])) != not
		}
		return env.Canceled()
	}
}

// compileRegex compiles for searches that end with the statement: what they find then counts
// for nothing, and canceled says so.
func compileRegex(e *expr.Env, pattern string, flags regex.Flags) (*regex.Regex, error) {
	re, err := regex.Compile(pattern, flags)
	if err != nil || e.Ctx == nil {
		return re, err
	}
	return re.Until(e.Ctx.Done()), nil
}

// compileFor compiles for a function that does not take option g.
func compileFor(env *expr.Env, name string, pattern, options []byte) (*regex.Regex, error) {
	flags, global, err := regex.ParseFlags(string(options))
	if err != nil {
		return nil, err
	}
	if global {
		return nil, sqlerr.New(sqlerr.InvalidParameterValue, `%s() does not support the "global" option`, name)
	}
	return compileRegex(env, string(pattern), flags)
}

// textArg and intArg give optional arguments.
func textArg(a []types.Datum, i int) []byte {
	if i < len(a) {
		return a[i].Bytes
	}
	return nil
}

func intArg(a []types.Datum, i int, def int64) int64 {
	if i < len(a) {
		return a[i].Int
	}
	return def
}

func badParam(name string, v int64) error {
	return sqlerr.New(sqlerr.InvalidParameterValue, `invalid value for parameter "%s": %d`, name, v)
}

// from gives the offset of character position start, from 1, or -1 if it is
// beyond the end.
func from(s []byte, start int64) (int, error) {
	if start < 1 {
		return 0, badParam("start", start)
	}
	if start-1 > int64(utf8.RuneCount(s)) {
		return -1, nil
	}
	return runeOffset(s, start-1), nil
}

// group gives capture k of a match, NULL if it took no part.
func group(s []byte, loc []int, k int) types.Datum {
	if loc[2*k] < 0 {
		return types.NullDatum
	}
	return types.NewText(string(s[loc[2*k]:loc[2*k+1]]))
}

// firstGroup is the first capture, or the match if there are none.
func firstGroup(re *regex.Regex, s []byte) types.Datum {
	loc := re.Find(nil, s, 0)
	if loc == nil {
		return types.NullDatum
	}
	return group(s, loc, vec.Bit(re.NumSub() > 0))
}

func regexSubstring(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	re, err := compileRegex(env, string(a[1].Bytes), 0)
	if err != nil {
		return types.NullDatum, err
	}
	return firstGroup(re, a[0].Bytes), nil
}

func similarSubstring(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	p, err := regex.Similar(string(a[1].Bytes), string(a[2].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	re, err := compileRegex(env, p, 0)
	if err != nil {
		return types.NullDatum, err
	}
	return firstGroup(re, a[0].Bytes), nil
}

func regexpMatch(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	re, err := compileFor(env, "regexp_match", a[1].Bytes, textArg(a, 2))
	if err != nil {
		if _, global, _ := regex.ParseFlags(string(textArg(a, 2))); global {
			if e := sqlerr.As(err); e != nil {
				e.Hint = "Use the regexp_matches function instead."
			}
		}
		return types.NullDatum, err
	}
	s := a[0].Bytes
	loc := re.Find(nil, s, 0)
	if loc == nil {
		return types.NullDatum, nil
	}
	var out []types.Datum
	for k := vec.Bit(re.NumSub() > 0); k <= re.NumSub(); k++ {
		out = append(out, group(s, loc, k))
	}
	return types.NewArray(tText, out), nil
}

func regexpLike(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	re, err := compileFor(env, "regexp_like", a[1].Bytes, textArg(a, 2))
	if err != nil {
		return types.NullDatum, err
	}
	return types.NewBool(re.Match(a[0].Bytes)), nil
}

func regexpCount(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	s := a[0].Bytes
	at, err := from(s, intArg(a, 2, 1))
	if err != nil {
		return types.NullDatum, err
	}
	re, err := compileFor(env, "regexp_count", a[1].Bytes, textArg(a, 3))
	if err != nil || at < 0 {
		return types.NewInt(0), err
	}
	n := int64(0)
	for range re.All(s, at, false) {
		n++
	}
	return types.NewInt(n), nil
}

// nth finds the n-th match from character position start on.
func nth(re *regex.Regex, s []byte, at int, n int64) []int {
	var loc []int
	for ; at >= 0 && at <= len(s); at = regex.Next(s, loc) {
		if loc = re.Find(loc, s, at); loc == nil {
			return nil
		}
		if n--; n == 0 {
			return loc
		}
	}
	return nil
}

// regexpSubstr has the arguments string, pattern, start, n, flags, subexpr.
func regexpSubstr(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	s, n, sub := a[0].Bytes, intArg(a, 3, 1), intArg(a, 5, 0)
	at, err := from(s, intArg(a, 2, 1))
	switch {
	case err != nil:
		return types.NullDatum, err
	case n < 1:
		return types.NullDatum, badParam("n", n)
	case sub < 0:
		return types.NullDatum, badParam("subexpr", sub)
	}
	re, err := compileFor(env, "regexp_substr", a[1].Bytes, textArg(a, 4))
	if err != nil || sub > int64(re.NumSub()) {
		return types.NullDatum, err
	}
	loc := nth(re, s, at, n)
	if loc == nil {
		return types.NullDatum, nil
	}
	return group(s, loc, int(sub)), nil
}

// regexpInstr has the arguments string, pattern, start, n, endoption, flags,
// subexpr.
func regexpInstr(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	s, n, end, sub := a[0].Bytes, intArg(a, 3, 1), intArg(a, 4, 0), intArg(a, 6, 0)
	at, err := from(s, intArg(a, 2, 1))
	switch {
	case err != nil:
		return types.NullDatum, err
	case n < 1:
		return types.NullDatum, badParam("n", n)
	case end != 0 && end != 1:
		return types.NullDatum, badParam("endoption", end)
	case sub < 0:
		return types.NullDatum, badParam("subexpr", sub)
	}
	re, err := compileFor(env, "regexp_instr", a[1].Bytes, textArg(a, 5))
	if err != nil || sub > int64(re.NumSub()) {
		return types.NewInt(0), err
	}
	loc := nth(re, s, at, n)
	if loc == nil || loc[2*sub] < 0 {
		return types.NewInt(0), nil
	}
	return types.NewInt(int64(utf8.RuneCount(s[:loc[2*sub+end]])) + 1), nil
}

func regexpReplace(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	options := textArg(a, 3)
	if len(options) > 0 && options[0] >= '0' && options[0] <= '9' {
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, `invalid regular expression option: "%s"`, options[:1]).
			WithHint("If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.")
	}
	flags, global, err := regex.ParseFlags(string(options))
	if err != nil {
		return types.NullDatum, err
	}
	return replaceMatches(env, a, flags, 1, int64(1-vec.Bit(global)))
}

// regexpReplaceFrom has the arguments string, pattern, replacement, start, n,
// flags; n 0 is every match.
func regexpReplaceFrom(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	flags, global, err := regex.ParseFlags(string(textArg(a, 5)))
	if err != nil {
		return types.NullDatum, err
	}
	n := intArg(a, 4, 1)
	if n < 0 {
		return types.NullDatum, badParam("n", n)
	}
	if len(a) < 5 && global {
		n = 0
	}
	return replaceMatches(env, a, flags, a[3].Int, n)
}

func replaceMatches(env *expr.Env, a []types.Datum, flags regex.Flags, start, n int64) (types.Datum, error) {
	s := a[0].Bytes
	at, err := from(s, start)
	if err != nil {
		return types.NullDatum, err
	}
	re, err := compileRegex(env, string(a[1].Bytes), flags)
	if err != nil {
		return types.NullDatum, err
	}
	if at < 0 {
		return types.NewBytes(bytes.Clone(s)), nil
	}
	made := eval.Tally{Env: env, N: len(s)}
	out, err := re.AppendReplace([]byte{}, s, a[2].Bytes, at, int(n), made.Add)
	return types.NewBytes(out), err
}

// regexpSplit cuts a text at the matches; name is for messages.
func regexpSplit(name string) datumFunc {
	return func(env *expr.Env, _ []types.T, a []types.Datum) (types.Datum, error) {
		re, err := compileFor(env, name, a[1].Bytes, textArg(a, 2))
		if err != nil {
			return types.NullDatum, err
		}
		s := a[0].Bytes
		made := eval.Tally{Env: env}
		var out []types.Datum
		at := 0
		for loc := range re.All(s, 0, true) {
			if err := made.Add(loc[0] - at + eval.ElemBytes); err != nil {
				return types.NullDatum, err
			}
			out = append(out, types.NewText(string(s[at:loc[0]])))
			at = loc[1]
		}
		return types.NewArray(tText, append(out, types.NewText(string(s[at:])))), nil
	}
}
