package typename

import (
	"strconv"

	"github.com/saltsql/saltsql/internal/dialect/lex"
	"github.com/saltsql/saltsql/internal/dialect/tree"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Long because the names of types are one grammar, whose branches share their ends.

// Parse reads a type name. Errors are *sqlerr.Error: 42601, or 22023 for a
// precision out of range.
func Parse(text string) (*tree.TypeName, error) {
	var toks lex.Tokens
	if err := toks.Read(text); err != nil {
		return nil, err
	}
	t, next, err := Read(&toks, 0, false)
	if err == nil && toks.Toks[next].Kind != lex.EOF {
		err = syntaxError(&toks, next)
	}
	if err != nil {
		return nil, err
	}
	t.Pos = lex.Position(text, int(toks.Toks[0].Start))
	return t, nil
}

// Read reads a type name from token i on and gives the index of the token
// after it. A constant's type (date '…', char 'x') has no default length.
func Read(toks *lex.Tokens, i int, constant bool) (t *tree.TypeName, next int, err error) {
	r := reader{toks: toks, i: i, constant: constant}
	t = &tree.TypeName{}
	if r.accept(lex.KSetof) {
		t.SetOf = true
	}
	if err := r.simple(t); err != nil {
		return nil, 0, err
	}
	if err := r.dims(t); err != nil {
		return nil, 0, err
	}
	return t, r.i, nil
}

// ReadBase is Read without SETOF and array bounds, for typed constants.
func ReadBase(toks *lex.Tokens, i int) (t *tree.TypeName, next int, err error) {
	r := reader{toks: toks, i: i, constant: true}
	t = &tree.TypeName{}
	if err := r.simple(t); err != nil {
		return nil, 0, err
	}
	return t, r.i, nil
}

type reader struct {
	toks     *lex.Tokens
	i        int
	constant bool
}

func syntaxError(toks *lex.Tokens, i int) *sqlerr.Error {
	t := toks.Toks[i]
	pos := lex.Position(toks.Text, int(t.Start))
	if t.Kind == lex.EOF {
		return sqlerr.New(sqlerr.SyntaxError, "syntax error at end of input").At(pos)
	}
	return sqlerr.New(sqlerr.SyntaxError, `syntax error at or near "%s"`, toks.Raw(t)).At(pos)
}

func (r *reader) tok() *lex.Token { return &r.toks.Toks[r.i] }

func (r *reader) accept(k lex.Keyword) bool {
	if r.tok().Keyword == k {
		r.i++
		return true
	}
	return false
}

func (r *reader) fail() error { return syntaxError(r.toks, r.i) }

// simple reads a type without its array part.
func (r *reader) simple(t *tree.TypeName) error {
	first := r.tok()
	switch first.Keyword {
	case lex.KInt, lex.KInteger:
		return r.keyword(t, "int4")
	case lex.KSmallint:
		return r.keyword(t, "int2")
	case lex.KBigint:
		return r.keyword(t, "int8")
	case lex.KReal:
		return r.keyword(t, "float4")
	case lex.KBoolean:
		return r.keyword(t, "bool")
	case lex.KFloat:
		return r.float(t)
	case lex.KDecimal, lex.KDec, lex.KNumeric:
		r.i++
		t.Schema, t.Name = "pg_catalog", "numeric"
		return r.mods(t)
	case lex.KDouble:
		if r.toks.Toks[r.i+1].Keyword == lex.KPrecision {
			r.i++
			return r.keyword(t, "float8")
		}
	case lex.KBit:
		r.i++
		return r.sized(t, "bit", "varbit")
	case lex.KCharacter, lex.KChar, lex.KNchar:
		r.i++
		return r.sized(t, "bpchar", "varchar")
	case lex.KNational:
		r.i++
		if !r.accept(lex.KCharacter) && !r.accept(lex.KChar) {
			return r.fail()
		}
		return r.sized(t, "bpchar", "varchar")
	case lex.KVarchar:
		r.i++
		t.Schema, t.Name = "pg_catalog", "varchar"
		return r.mods(t)
	case lex.KTimestamp:
		return r.time(t, "timestamp", "timestamptz")
	case lex.KTime:
		return r.time(t, "time", "timetz")
	case lex.KInterval:
		r.i++
		t.Schema, t.Name = "pg_catalog", "interval"
		return r.interval(t)
	}
	return r.generic(t)
}

func (r *reader) keyword(t *tree.TypeName, name string) error {
	r.i++
	t.Schema, t.Name = "pg_catalog", name
	return nil
}

func (r *reader) generic(t *tree.TypeName) error {
	tok := r.tok()
	if !genericStart(tok) {
		return r.fail()
	}
	t.Name = r.name()
	for r.tok().Kind == lex.Dot {
		if t.Schema != "" {
			return sqlerr.New(sqlerr.FeatureNotSupported, "cross-database references are not implemented").
				At(lex.Position(r.toks.Text, int(tok.Start)))
		}
		r.i++
		if k := r.tok().Kind; k != lex.Ident && k != lex.QuotedID {
			return r.fail()
		}
		t.Schema, t.Name = t.Name, r.name()
	}
	return r.mods(t)
}

// genericStart tells whether a token may begin a type name that is no keyword
// type: an unreserved word, or one reserved for functions and types.
func genericStart(tok *lex.Token) bool {
	if tok.Kind == lex.QuotedID {
		return true
	}
	if tok.Kind != lex.Ident {
		return false
	}
	if tok.Keyword == 0 {
		return true
	}
	c := tok.Keyword.Category()
	return c == lex.Unreserved || c == lex.TypeFunc
}

func (r *reader) name() string {
	tok := *r.tok()
	r.i++
	if tok.Kind == lex.QuotedID {
		return r.toks.Value(tok)
	}
	return lex.Fold(r.toks.Raw(tok))
}

func (r *reader) float(t *tree.TypeName) error {
	at := r.tok().Start
	if err := r.keyword(t, "float8"); err != nil {
		return err
	}
	if r.tok().Kind != lex.LParen {
		t.Bare = true
		return nil
	}
	if err := r.mods(t); err != nil {
		return err
	}
	bits := t.Mods[0]
	pos := lex.Position(r.toks.Text, int(at))
	switch {
	case len(t.Mods) != 1:
		return sqlerr.New(sqlerr.SyntaxError, "float takes one precision").At(pos)
	case bits < 1:
		return sqlerr.New(sqlerr.InvalidParameterValue, "precision for type float must be at least 1 bit").At(pos)
	case bits > 53:
		return sqlerr.New(sqlerr.InvalidParameterValue, "precision for type float must be less than 54 bits").At(pos)
	case bits <= 24:
		t.Name = "float4"
	}
	t.Mods = nil
	return nil
}

// sized reads [VARYING] [(n)]: without a length the fixed form means 1.
func (r *reader) sized(t *tree.TypeName, fixed, varying string) error {
	t.Schema, t.Name = "pg_catalog", fixed
	if r.accept(lex.KVarying) {
		t.Name = varying
	}
	if r.tok().Kind != lex.LParen {
		if t.Name == fixed && !r.constant {
			t.Mods = []int32{1}
		}
		return nil
	}
	return r.mods(t)
}

func (r *reader) time(t *tree.TypeName, without, with string) error {
	r.i++
	t.Schema, t.Name = "pg_catalog", without
	if r.tok().Kind == lex.LParen {
		if err := r.mods(t); err != nil {
			return err
		}
	}
	k := r.tok().Keyword
	if (k == lex.KWith || k == lex.KWithout) && r.toks.Toks[r.i+1].Keyword == lex.KTime {
		r.i += 2
		if !r.accept(lex.KZone) {
			return r.fail()
		}
		if k == lex.KWith {
			t.Name = with
		}
	}
	return nil
}

// interval reads what follows the word: fields, or a precision.
func (r *reader) interval(t *tree.TypeName) error {
	if r.tok().Kind == lex.LParen {
		return r.intervalPrecision(t, tree.IntervalFull)
	}
	_, err := r.intervalFields(t)
	return err
}

func (r *reader) intervalPrecision(t *tree.TypeName, mask int32) error {
	t.Mods = nil
	if err := r.mods(t); err != nil {
		return err
	}
	if len(t.Mods) != 1 {
		return r.fail()
	}
	t.Mods = []int32{mask, t.Mods[0]}
	return nil
}

// ReadInterval reads the fields that may follow INTERVAL '…' and adds them to
// t; next is i when there are none.
func ReadInterval(toks *lex.Tokens, i int, t *tree.TypeName) (next int, err error) {
	r := reader{toks: toks, i: i}
	if _, err := r.intervalFields(t); err != nil {
		return 0, err
	}
	return r.i, nil
}

var fieldOrder = []lex.Keyword{lex.KYear, lex.KMonth, lex.KDay, lex.KHour, lex.KMinute, lex.KSecond}

var fieldBit = []int32{tree.IntervalYear, tree.IntervalMonth, tree.IntervalDay, tree.IntervalHour, tree.IntervalMinute, tree.IntervalSecond}

func fieldIndex(k lex.Keyword) int {
	for i, f := range fieldOrder {
		if f == k && k != 0 {
			return i
		}
	}
	return -1
}

func (r *reader) intervalFields(t *tree.TypeName) (bool, error) {
	from := fieldIndex(r.tok().Keyword)
	if from < 0 {
		return false, nil
	}
	r.i++
	to := from
	if r.tok().Keyword == lex.KTo {
		to = fieldIndex(r.toks.Toks[r.i+1].Keyword)
		// YEAR TO MONTH, and any of DAY..MINUTE to a later one.
		if to <= from || from == 1 || from == 0 && to != 1 {
			r.i++
			return false, r.fail()
		}
		r.i += 2
	}
	var mask int32
	for f := from; f <= to; f++ {
		mask |= fieldBit[f]
	}
	t.Mods = []int32{mask}
	if to == 5 && r.tok().Kind == lex.LParen {
		return true, r.intervalPrecision(t, mask)
	}
	return true, nil
}

// mods reads ( n, … ) if it is there.
func (r *reader) mods(t *tree.TypeName) error {
	if r.tok().Kind != lex.LParen {
		return nil
	}
	r.i++
	for {
		neg := false
		if tok := r.tok(); tok.Kind == lex.Op && tok.Op == lex.OpSub {
			neg = true
			r.i++
		}
		tok := r.tok()
		if tok.Kind != lex.Int {
			if genericStart(tok) || tok.Kind == lex.String {
				return sqlerr.New(sqlerr.InvalidParameterValue, "type modifiers must be integer constants").
					At(lex.Position(r.toks.Text, int(tok.Start)))
			}
			return r.fail()
		}
		n, err := strconv.ParseInt(r.toks.Value(*tok), 10, 32)
		if err != nil {
			return r.fail()
		}
		if neg {
			n = -n
		}
		t.Mods = append(t.Mods, int32(n))
		r.i++
		if r.tok().Kind == lex.Comma {
			r.i++
			continue
		}
		if r.tok().Kind != lex.RParen {
			return r.fail()
		}
		r.i++
		return nil
	}
}

// dims reads array bounds: [n] … or ARRAY [n].
func (r *reader) dims(t *tree.TypeName) error {
	if r.accept(lex.KArray) {
		d := int32(-1)
		if r.tok().Kind == lex.LBracket {
			r.i++
			var err error
			if d, err = r.bound(); err != nil {
				return err
			}
		}
		t.Dims = []int32{d}
		return nil
	}
	for r.tok().Kind == lex.LBracket {
		r.i++
		d := int32(-1)
		if r.tok().Kind == lex.RBracket {
			r.i++
		} else {
			var err error
			if d, err = r.bound(); err != nil {
				return err
			}
		}
		t.Dims = append(t.Dims, d)
	}
	return nil
}

// bound reads n ].
func (r *reader) bound() (int32, error) {
	tok := r.tok()
	n, err := strconv.ParseInt(r.toks.Value(*tok), 10, 32)
	if tok.Kind != lex.Int || err != nil {
		return 0, r.fail()
	}
	r.i++
	if r.tok().Kind != lex.RBracket {
		return 0, r.fail()
	}
	r.i++
	return int32(n), nil
}
