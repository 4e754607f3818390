package types

import (
	"strconv"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// MaxDims is the most dimensions an array has.
//
//saltsql:limit types: dimensions of an array (54000)
const MaxDims = 6

// maxElems is Postgres's MaxArraySize for 8-byte elements.
//
//saltsql:limit types: elements of an array (54000)
const maxElems = 134217727

// NewArray makes a one-dimensional array; no elements make the empty array,
// which has no dimensions.
func NewArray(elem T, elems []Datum) Datum {
	a := &ArrayValue{Elem: elem, Elems: elems}
	if len(elems) > 0 {
		a.Dims = []int32{int32(len(elems))}
	}
	return Datum{Array: a}
}

func appendArray(dst []byte, t T, a *ArrayValue, env *IOEnv) []byte {
	if t.IsVector() {
		return appendVector(dst, a)
	}
	if len(a.Elems) == 0 {
		return append(dst, '{', '}')
	}
	if a.Low != 0 {
		for _, n := range a.Dims {
			dst = strconv.AppendInt(append(dst, '['), int64(1+a.Low), 10)
			dst = append(strconv.AppendInt(append(dst, ':'), int64(n+a.Low), 10), ']')
		}
		dst = append(dst, '=')
	}
	pos := 0
	return appendDim(dst, t.ElemType(), a, 0, &pos, env)
}

func appendDim(dst []byte, elem T, a *ArrayValue, dim int, pos *int, env *IOEnv) []byte {
	dst = append(dst, '{')
	for i := range a.Dims[dim] {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dim+1 < len(a.Dims) {
			dst = appendDim(dst, elem, a, dim+1, pos, env)
			continue
		}
		e := a.Elems[*pos]
		*pos++
		if e.Null {
			dst = append(dst, "NULL"...)
			continue
		}
		start := len(dst)
		dst = AppendText(dst, elem, e, env)
		dst = quoteElem(dst, start)
	}
	return append(dst, '}')
}

// quoteElem puts the text from start on into quotes if it needs them.
func quoteElem(dst []byte, start int) []byte {
	s := dst[start:]
	need := len(s) == 0 || len(s) == 4 && strings.EqualFold(string(s), "null")
	escapes := 0
	for _, c := range s {
		switch c {
		case '"', '\\':
			escapes++
			need = true
		case '{', '}', ',', ' ', '\t', '\n', '\r', '\v', '\f':
			need = true
		}
	}
	if !need {
		return dst
	}
	n := len(s)
	for range escapes + 2 {
		dst = append(dst, 0)
	}
	end := len(dst) - 1
	dst[end] = '"'
	for i := start + n - 1; i >= start; i-- {
		end--
		c := dst[i]
		dst[end] = c
		if c == '"' || c == '\\' {
			end--
			dst[end] = '\\'
		}
	}
	dst[start] = '"'
	return dst
}

type arrayParser struct {
	s    string
	pos  int
	elem T
	env  *IOEnv
	out  *ArrayValue
	dims [MaxDims]int32 // -1: not known yet
	nd   int            // dimensions, known at the first element
	hole bool           // there is an empty {} inside
}

func (p *arrayParser) malformed(detail string) error {
	e := sqlerr.New(sqlerr.InvalidTextRepresentation, `malformed array literal: "%s"`, p.s)
	if detail != "" {
		e = e.WithDetail("%s", detail)
	}
	return e
}

func (p *arrayParser) blank() {
	for p.pos < len(p.s) && strings.IndexByte(" \t\n\r\v\f", p.s[p.pos]) >= 0 {
		p.pos++
	}
}

func parseArray(t T, s string, env *IOEnv) (Datum, error) {
	p := &arrayParser{s: s, elem: t.ElemType(), env: env}
	p.out = &ArrayValue{Elem: t.ElemType()}
	for i := range p.dims {
		p.dims[i] = -1
	}
	p.blank()
	if p.pos < len(s) && s[p.pos] == '[' {
		if !strings.Contains(s, "]") || !strings.Contains(s, "=") {
			return NullDatum, p.malformed(`Missing "]" after array dimensions.`)
		}
		return NullDatum, sqlerr.Unsupported("array literals with explicit dimensions are not supported",
			`Write the array as {...}; its lower bounds are 1.`)
	}
	if p.pos >= len(s) || s[p.pos] != '{' {
		return NullDatum, p.malformed(`Array value must start with "{" or dimension information.`)
	}
	if _, err := p.level(0); err != nil {
		return NullDatum, err
	}
	p.blank()
	if p.pos < len(s) {
		return NullDatum, p.malformed("Junk after closing right brace.")
	}
	if len(p.out.Elems) > 0 {
		if p.hole {
			return NullDatum, p.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
		}
		p.out.Dims = append([]int32(nil), p.dims[:p.nd]...)
	}
	// The braces are judged before the elements between them.
	for i, d := range p.out.Elems {
		if d.Null {
			continue
		}
		var err error
		if p.out.Elems[i], err = ParseString(p.elem, string(d.Bytes), env); err != nil {
			return NullDatum, err
		}
	}
	return Datum{Array: p.out}, nil
}

// level reads {…} at depth dim and gives the number of its items.
func (p *arrayParser) level(dim int) (int32, error) {
	if dim >= MaxDims {
		return 0, sqlerr.New(sqlerr.ProgramLimitExceeded, "number of array dimensions (%d) exceeds the maximum allowed (%d)", dim+1, MaxDims)
	}
	p.pos++
	var n int32
	p.blank()
	if p.pos < len(p.s) && p.s[p.pos] == '}' {
		p.pos++
		p.hole = p.hole || dim > 0
		return 0, nil
	}
	for {
		p.blank()
		if p.pos >= len(p.s) {
			return 0, p.malformed("Unexpected end of input.")
		}
		if p.s[p.pos] == '{' {
			if p.nd != 0 && dim+1 >= p.nd {
				return 0, p.malformed(`Unexpected "{" character.`)
			}
			m, err := p.level(dim + 1)
			if err != nil {
				return 0, err
			}
			if m > 0 {
				if have := p.dims[dim+1]; have >= 0 && have != m {
					return 0, p.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
				}
				p.dims[dim+1] = m
			}
		} else {
			if p.nd == 0 {
				p.nd = dim + 1
			} else if p.nd != dim+1 {
				return 0, p.malformed("Multidimensional arrays must have sub-arrays with matching dimensions.")
			}
			if err := p.item(); err != nil {
				return 0, err
			}
		}
		n++
		p.blank()
		if p.pos >= len(p.s) {
			return 0, p.malformed("Unexpected end of input.")
		}
		switch p.s[p.pos] {
		case ',':
			p.pos++
			continue
		case '}':
			p.pos++
			if dim == 0 {
				p.dims[0] = n
			}
			return n, nil
		}
		return 0, p.malformed("Unexpected array element.")
	}
}

func (p *arrayParser) item() error {
	var b []byte
	quoted := false
	if p.s[p.pos] == '"' {
		quoted = true
		p.pos++
		for {
			if p.pos >= len(p.s) {
				return p.malformed("Unexpected end of input.")
			}
			c := p.s[p.pos]
			p.pos++
			if c == '"' {
				break
			}
			if c == '\\' {
				if p.pos >= len(p.s) {
					return p.malformed("Unexpected end of input.")
				}
				c = p.s[p.pos]
				p.pos++
			}
			b = append(b, c)
		}
	} else {
		keep := 0
	scan:
		for ; p.pos < len(p.s); p.pos++ {
			switch c := p.s[p.pos]; c {
			case ',', '}':
				break scan
			case '{':
				return p.malformed(`Unexpected "{" character.`)
			case '"':
				return p.malformed("Unexpected array element.")
			case '\\':
				if p.pos++; p.pos >= len(p.s) {
					return p.malformed("Unexpected end of input.")
				}
				b = append(b, p.s[p.pos])
				keep = len(b)
			default:
				b = append(b, c)
				if strings.IndexByte(" \t\n\r\v\f", c) < 0 {
					keep = len(b)
				}
			}
		}
		b = b[:keep]
		if len(b) == 0 {
			if p.pos < len(p.s) {
				return p.malformed(`Unexpected "` + p.s[p.pos:p.pos+1] + `" character.`)
			}
			return p.malformed("Unexpected end of input.")
		}
	}
	if len(p.out.Elems) >= maxElems {
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "array size exceeds the maximum allowed (%d)", maxElems)
	}
	if !quoted && strings.EqualFold(string(b), "null") {
		p.out.Elems = append(p.out.Elems, NullDatum)
		return nil
	}
	p.out.Elems = append(p.out.Elems, NewBytes(b))
	return nil
}
