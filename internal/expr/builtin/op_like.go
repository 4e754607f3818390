package builtin

import (
	"bytes"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/expr"
	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/vec"
)

// LIKE and ILIKE. A constant pattern is taken apart once; the usual forms
// (x, x%, %x, %x%) need no matcher.

func init() {
	for _, op := range []struct {
		name      string
		fold, not bool
	}{{"~~", false, false}, {"!~~", false, true}, {"~~*", true, false}, {"!~~*", true, true}} {
		for _, t := range []types.T{tText, tBpchar, tName} {
			f := fn(op.name, ts(t, tText), tBool, likeKernel(op.fold, op.not))
			f.Prepare = prepareLike(op.fold, op.not)
			expr.RegisterOps(f)
		}
	}
	for _, op := range []struct {
		name string
		not  bool
	}{{"~~", false}, {"!~~", true}} {
		expr.RegisterOps(fn(op.name, ts(tBytea, tBytea), tBool, likeKernel(false, op.not)))
	}
	expr.RegisterFuncs(
		fn("like_escape", ts(tText, tText), tText, t2(likeEscape)),
		fn("like_escape", ts(tBytea, tBytea), tBytea, t2(likeEscape)),
	)
	for _, t := range []types.T{tText, tBytea} {
		expr.RegisterFuncs(fn("like", ts(t, t), tBool, likeKernel(false, false)), fn("notlike", ts(t, t), tBool, likeKernel(false, true)))
	}
}

func likeKernel(fold, not bool) expr.Kernel {
	return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
		var last []byte
		var m *likeMatcher
		pad := padder(args[0].Type)
		for _, i := range sel {
			if p := args[1].Bytes[i]; m == nil || !bytes.Equal(last, p) {
				var err error
				if m, err = newLikeMatcher(p, fold); err != nil {
					return err
				}
				last = p
			}
			ok, err := m.match(pad(args[0].Bytes[i]))
			if err != nil {
				return err
			}
			out.Bools[i] = ok != not
		}
		return nil
	}
}

// padder gives char(n) its blanks back, which count in patterns.
func padder(t types.T) func([]byte) []byte {
	if t.Kind != types.Bpchar {
		return func(b []byte) []byte { return b }
	}
	return func(b []byte) []byte { return types.AppendPadded(nil, t, b) }
}

func prepareLike(fold, not bool) func(args []expr.Expr) (expr.Kernel, error) {
	return func(args []expr.Expr) (expr.Kernel, error) {
		c, ok := args[1].(*expr.Const)
		if !ok || c.Value.Null || args[0].Type().Kind == types.Bpchar {
			return likeKernel(fold, not), nil
		}
		m, err := newLikeMatcher(c.Value.Bytes, fold)
		if err != nil {
			// A bad pattern is an error only where a row meets it.
			return likeKernel(fold, not), nil
		}
		return func(_ *expr.Env, sel []uint16, args []*vec.Vec, out *vec.Vec) error {
			a := args[0].Bytes
			for _, i := range sel {
				ok, err := m.match(a[i])
				if err != nil {
					return err
				}
				out.Bools[i] = ok != not
			}
			return nil
		}, nil
	}
}

type likeShape uint8

const (
	likeGeneral likeShape = iota
	likeExact
	likePrefix
	likeSuffix
	likeContains
)

// likeMatcher is a pattern taken apart.
type likeMatcher struct {
	shape   likeShape
	lit     []byte // what the simple shapes look for
	pattern []byte
	fold    bool
	buf     []byte
}

func newLikeMatcher(pattern []byte, fold bool) (*likeMatcher, error) {
	if fold {
		pattern = bytes.ToLower(pattern)
	}
	m := &likeMatcher{pattern: bytes.Clone(pattern), fold: fold}
	if bytes.IndexByte(pattern, '_') >= 0 || bytes.IndexByte(pattern, '\\') >= 0 {
		return m, nil
	}
	body := bytes.Trim(pattern, "%")
	if bytes.IndexByte(body, '%') >= 0 {
		return m, nil
	}
	m.lit = bytes.Clone(body)
	start := len(pattern) > 0 && pattern[0] == '%'
	end := len(pattern) > 0 && pattern[len(pattern)-1] == '%'
	switch {
	case len(body) == 0 && start:
		m.shape = likeContains
	case start && end:
		m.shape = likeContains
	case start:
		m.shape = likeSuffix
	case end:
		m.shape = likePrefix
	default:
		m.shape = likeExact
	}
	return m, nil
}

func (m *likeMatcher) match(s []byte) (bool, error) {
	if m.fold {
		m.buf = appendLower(m.buf[:0], s)
		s = m.buf
	}
	switch m.shape {
	case likeExact:
		return bytes.Equal(s, m.lit), nil
	case likePrefix:
		return bytes.HasPrefix(s, m.lit), nil
	case likeSuffix:
		return bytes.HasSuffix(s, m.lit), nil
	case likeContains:
		return bytes.Contains(s, m.lit), nil
	}
	return likeMatch(s, m.pattern)
}

// likeMatch goes back to the last % only: a later one makes earlier choices
// irrelevant, so that the work is at most len(s)·len(p).
func likeMatch(s, p []byte) (bool, error) {
	i, j := 0, 0
	starP, starS := -1, 0
	for i < len(s) || j < len(p) {
		if j < len(p) {
			switch p[j] {
			case '%':
				starP, starS = j, i
				j++
				continue
			case '_':
				if i < len(s) {
					_, n := utf8.DecodeRune(s[i:])
					i += n
					j++
					continue
				}
			case '\\':
				if i < len(s) && j+1 >= len(p) {
					return false, sqlerr.New(sqlerr.InvalidEscapeSequence, "LIKE pattern must not end with escape character")
				}
				if i < len(s) && j+1 < len(p) && s[i] == p[j+1] {
					i++
					j += 2
					continue
				}
			default:
				if i < len(s) && s[i] == p[j] {
					i++
					j++
					continue
				}
			}
		}
		if starP < 0 || starS >= len(s) {
			return false, nil
		}
		_, n := utf8.DecodeRune(s[starS:])
		starS += n
		i, j = starS, starP+1
	}
	return true, nil
}

// likeEscape rewrites a pattern for another escape character to one for \.
func likeEscape(dst []byte, p, esc []byte) ([]byte, error) {
	switch {
	case len(esc) == 0:
		for _, c := range p {
			if c == '\\' {
				dst = append(dst, '\\')
			}
			dst = append(dst, c)
		}
		return dst, nil
	case utf8.RuneCount(esc) != 1:
		return nil, sqlerr.New(sqlerr.InvalidEscapeSequence, "invalid escape string").
			WithHint("Escape string must be empty or one character.")
	case len(esc) == 1 && esc[0] == '\\':
		return append(dst, p...), nil
	}
	escaped := false
	for len(p) > 0 {
		if !escaped && bytes.HasPrefix(p, esc) {
			dst = append(dst, '\\')
			p = p[len(esc):]
			escaped = true
			continue
		}
		if p[0] == '\\' && !escaped {
			dst = append(dst, '\\')
		}
		_, n := utf8.DecodeRune(p)
		dst = append(dst, p[:n]...)
		p = p[n:]
		escaped = false
	}
	return dst, nil
}
