package expr

import (
	"bytes"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

func init() {
	for _, op := range []struct {
		name      string
		fold, not bool
	}{{"~", false, false}, {"!~", false, true}, {"~*", true, false}, {"!~*", true, true}} {
		for _, t := range []types.T{tText, tBpchar, tName} {
			f := fn(op.name, ts(t, tText), tBool, nil)
			f.kernel = func(env *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
				return regexKernel(op.fold, op.not)(env, sel, args, out)
			}
			f.prepare = func([]Expr) (kernel, error) { return regexKernel(op.fold, op.not), nil }
			registerOps(f)
		}
	}
	registerFuncs(
		fn("similar_to_escape", ts(tText), tText, t1(func(dst, p []byte) ([]byte, error) {
			s, err := similarToRegex(p, nil, false)
			return append(dst, s...), err
		})),
		fn("similar_to_escape", ts(tText, tText), tText, t2(func(dst, p, e []byte) ([]byte, error) {
			s, err := similarToRegex(p, e, true)
			return append(dst, s...), err
		})),
		fn("substring", ts(tText, tText), tText, datumKernel(regexSubstring)),
		fn("regexp_match", ts(tText, tText), tTexts, datumKernel(regexpMatch)),
		fn("regexp_match", ts(tText, tText, tText), tTexts, datumKernel(regexpMatch)),
		fn("regexp_like", ts(tText, tText), tBool, datumKernel(regexpLike)),
		fn("regexp_like", ts(tText, tText, tText), tBool, datumKernel(regexpLike)),
		fn("regexp_count", ts(tText, tText), tInt4, datumKernel(regexpCount)),
		fn("regexp_count", ts(tText, tText, tInt4), tInt4, datumKernel(regexpCount)),
		fn("regexp_count", ts(tText, tText, tInt4, tText), tInt4, datumKernel(regexpCount)),
		fn("regexp_substr", ts(tText, tText), tText, datumKernel(regexpSubstr)),
		fn("regexp_replace", ts(tText, tText, tText), tText, datumKernel(regexpReplace)),
		fn("regexp_replace", ts(tText, tText, tText, tText), tText, datumKernel(regexpReplace)),
		fn("regexp_split_to_array", ts(tText, tText), tTexts, datumKernel(regexpSplit)),
		fn("regexp_split_to_array", ts(tText, tText, tText), tTexts, datumKernel(regexpSplit)),
	)
}

// MakeSimilar makes x [NOT] SIMILAR TO pattern [ESCAPE escape]; escape may be
// nil.
func MakeSimilar(x, pattern, escape Expr, not bool, pos int) (Expr, error) {
	args := []Expr{pattern}
	if escape != nil {
		args = append(args, escape)
	}
	p, err := ResolveFunc("similar_to_escape", args, pos)
	if err != nil {
		return nil, err
	}
	op := "~"
	if not {
		op = "!~"
	}
	return ResolveOp(op, x, p, pos)
}

// regexKernel compiles a pattern once for all rows that have the same; each
// Prog has its own, so that it may keep the last one.
func regexKernel(fold, not bool) kernel {
	var last []byte
	var re *regex
	return func(_ *Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		lastp, cur := last, re
		pad := padder(args[0].Type)
		for _, i := range sel {
			if p := args[1].Bytes[i]; cur == nil || !bytes.Equal(lastp, p) {
				var err error
				if cur, err = compileRegex(string(p), regexFlags{fold: fold}); err != nil {
					return err
				}
				lastp = bytes.Clone(p)
			}
			out.Bools[i] = cur.re.Match(pad(args[0].Bytes[i])) != not
		}
		last, re = lastp, cur
		return nil
	}
}

// textRegex compiles for functions that tell which text matches.
func textRegex(pattern, flags []byte, name string, global bool) (*regex, regexFlags, error) {
	f, err := parseRegexFlags(string(flags))
	if err != nil {
		return nil, f, err
	}
	if f.global && !global {
		return nil, f, sqlerr.New(sqlerr.InvalidParameterValue, `%s does not support the "global" option`, name+"()")
	}
	re, err := compileRegex(string(pattern), f)
	if err != nil {
		return nil, f, err
	}
	if re.mixed {
		return nil, f, noRegex("both greedy and non-greedy parts", "Use one kind of quantifier and no alternatives beside non-greedy ones.")
	}
	return re, f, nil
}

func optional(a []types.Datum, i int) []byte {
	if i < len(a) {
		return a[i].Bytes
	}
	return nil
}

func part(s []byte, m []int, k int) types.Datum {
	if m[2*k] < 0 {
		return types.NullDatum
	}
	return types.NewText(string(s[m[2*k]:m[2*k+1]]))
}

// firstPart is the match, or its first parenthesised part if it has one.
func firstPart(s []byte, m []int) types.Datum {
	switch {
	case m == nil:
		return types.NullDatum
	case len(m) > 2:
		return part(s, m, 1)
	}
	return part(s, m, 0)
}

func regexSubstring(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	re, _, err := textRegex(a[1].Bytes, nil, "substring", false)
	if err != nil {
		return types.NullDatum, err
	}
	return firstPart(a[0].Bytes, re.re.FindSubmatchIndex(a[0].Bytes)), nil
}

func regexpSubstr(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	re, _, err := textRegex(a[1].Bytes, nil, "regexp_substr", false)
	if err != nil {
		return types.NullDatum, err
	}
	m := re.re.FindSubmatchIndex(a[0].Bytes)
	if m == nil {
		return types.NullDatum, nil
	}
	return part(a[0].Bytes, m, 0), nil
}

func regexpMatch(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	re, _, err := textRegex(a[1].Bytes, optional(a, 2), "regexp_match", false)
	if err != nil {
		if e := sqlerr.As(err); e != nil && e.Code == sqlerr.InvalidParameterValue {
			e.Hint = "Use the regexp_matches function instead."
		}
		return types.NullDatum, err
	}
	m := re.re.FindSubmatchIndex(a[0].Bytes)
	if m == nil {
		return types.NullDatum, nil
	}
	var out []types.Datum
	if len(m) == 2 {
		out = []types.Datum{part(a[0].Bytes, m, 0)}
	}
	for k := 1; k < len(m)/2; k++ {
		out = append(out, part(a[0].Bytes, m, k))
	}
	return types.NewArray(tText, out), nil
}

func regexpLike(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	f, err := parseRegexFlags(string(optional(a, 2)))
	if err != nil {
		return types.NullDatum, err
	}
	if f.global {
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, `regexp_like() does not support the "global" option`)
	}
	re, err := compileRegex(string(a[1].Bytes), f)
	if err != nil {
		return types.NullDatum, err
	}
	return types.NewBool(re.re.Match(a[0].Bytes)), nil
}

func regexpCount(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	s := a[0].Bytes
	if len(a) > 2 {
		if a[2].Int < 1 {
			return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, `invalid value for parameter "start": %d`, a[2].Int)
		}
		if a[2].Int-1 > int64(utf8.RuneCount(s)) {
			return types.NewInt(0), nil
		}
		s = s[runeOffset(s, a[2].Int-1):]
	}
	re, _, err := textRegex(a[1].Bytes, optional(a, 3), "regexp_count", false)
	if err != nil {
		return types.NullDatum, err
	}
	return types.NewInt(int64(len(findAll(re, s)))), nil
}

// findAll lists the matches that do not overlap; after an empty one the search
// goes on at the next character.
func findAll(re *regex, s []byte) [][]int {
	return re.re.FindAllSubmatchIndex(s, -1)
}

func regexpReplace(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	flags := optional(a, 3)
	if len(flags) > 0 && flags[0] >= '0' && flags[0] <= '9' {
		return types.NullDatum, sqlerr.New(sqlerr.InvalidParameterValue, `invalid regular expression option: "%s"`, flags[:1]).
			WithHint("If you meant to use regexp_replace() with a start parameter, cast the fourth argument to integer explicitly.")
	}
	re, f, err := textRegex(a[1].Bytes, flags, "regexp_replace", true)
	if err != nil {
		return types.NullDatum, err
	}
	s := a[0].Bytes
	var matches [][]int
	if f.global {
		matches = findAll(re, s)
	} else if m := re.re.FindSubmatchIndex(s); m != nil {
		matches = [][]int{m}
	}
	out := []byte{}
	at := 0
	for _, m := range matches {
		out = append(out, s[at:m[0]]...)
		out = appendReplacement(out, a[2].Bytes, s, m)
		at = m[1]
		if len(out) > maxText {
			return types.NullDatum, tooLong()
		}
	}
	return types.NewBytes(append(out, s[at:]...)), nil
}

// appendReplacement expands \1 to \9, \& and \\.
func appendReplacement(out, repl, s []byte, m []int) []byte {
	for i := 0; i < len(repl); i++ {
		if repl[i] != '\\' || i+1 == len(repl) {
			out = append(out, repl[i])
			continue
		}
		i++
		k := -1
		switch c := repl[i]; {
		case c >= '1' && c <= '9':
			k = int(c - '0')
		case c == '&':
			k = 0
		case c == '\\':
			out = append(out, '\\')
			continue
		default:
			out = append(out, '\\', c)
			continue
		}
		if 2*k < len(m) && m[2*k] >= 0 {
			out = append(out, s[m[2*k]:m[2*k+1]]...)
		}
	}
	return out
}

func regexpSplit(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	re, _, err := textRegex(a[1].Bytes, optional(a, 2), "regexp_split_to_array", false)
	if err != nil {
		return types.NullDatum, err
	}
	s := a[0].Bytes
	var out []types.Datum
	at := 0
	for _, m := range findAll(re, s) {
		// An empty match at the start, at the end or after a match splits nothing.
		if m[0] == m[1] && (m[0] == at || m[0] >= len(s)) {
			continue
		}
		out = append(out, types.NewText(string(s[at:m[0]])))
		at = m[1]
	}
	out = append(out, types.NewText(string(s[at:])))
	return types.NewArray(tText, out), nil
}
