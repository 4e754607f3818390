package expr

import (
	"strings"

	"github.com/cockroachdb/apd/v3"

	"github.com/saltsql/saltsql/internal/sqlerr"
	"github.com/saltsql/saltsql/internal/types"
	"github.com/saltsql/saltsql/internal/types/numeric"
)

func init() {
	for _, t := range []types.T{tInt4, tInt8, tNum, tFloat4, tFloat8} {
		registerFuncs(fn("to_char", ts(t, tText), tText, datumKernel(numberToChar)))
	}
	registerFuncs(fn("to_number", ts(tText, tText), tNum, datumKernel(toNumber)))
}

// numFormat is a template such as 'FM999,990.00' taken apart.
type numFormat struct {
	elems     []byte // 9 0 . , and quoted text as 'q'
	texts     []string
	pre, post int
	zeroAt    int // index of the first position that shows zeros, or -1
	fill      bool
	sign      string // "", "S<", "S>", "MI<", "MI>", "PL<", "PL>", "SG", "PR"
}

func parseNumFormat(s string) (*numFormat, error) {
	f := &numFormat{zeroAt: -1}
	point := false
	unsupported := func(what string) error {
		return sqlerr.Unsupported(`number template pattern "`+what+`" is not supported`, "Use 9, 0, ., ',', S, MI, PL, PR and FM.")
	}
	syntax := func(msg string) error { return sqlerr.New(sqlerr.SyntaxError, "%s", msg) }
	setSign := func(s string) error {
		if f.sign != "" {
			return syntax(`cannot use "S" and "PL"/"MI"/"SG"/"PR" together`)
		}
		if len(f.elems) == 0 {
			f.sign = s + "<"
		} else {
			f.sign = s + ">"
		}
		return nil
	}
	for i := 0; i < len(s); {
		two := strings.ToUpper(s[i:min(i+2, len(s))])
		var err error
		switch {
		case two == "FM":
			f.fill = true
			i += 2
			continue
		case two == "MI" || two == "PL" || two == "PR" || two == "SG":
			err = setSign(two)
			i += 2
		case two == "TH" || two == "RN":
			return nil, unsupported(two)
		case strings.HasPrefix(strings.ToUpper(s[i:]), "EEEE"):
			return nil, unsupported("EEEE")
		default:
			c := s[i]
			i++
			switch c {
			case '9', '0':
				if f.sign == "PR>" {
					return nil, syntax(`"9" must be ahead of "PR"`)
				}
				if point {
					f.post++
				} else {
					if c == '0' && f.zeroAt < 0 {
						f.zeroAt = f.pre
					}
					f.pre++
				}
				f.elems = append(f.elems, c)
			case '.', 'D', 'd':
				if point {
					return nil, syntax("multiple decimal points")
				}
				point = true
				f.elems = append(f.elems, '.')
			case ',', 'G', 'g':
				f.elems = append(f.elems, ',')
			case 'S', 's':
				err = setSign("S")
			case 'V', 'v', 'L', 'l':
				return nil, unsupported(string(c))
			case '"':
				j := strings.IndexByte(s[i:], '"')
				if j < 0 {
					j = len(s) - i
				}
				f.elems = append(f.elems, 'q')
				f.texts = append(f.texts, s[i:i+j])
				i = min(len(s), i+j+1)
			default:
				f.elems = append(f.elems, 'q')
				f.texts = append(f.texts, string(c))
			}
		}
		if err != nil {
			return nil, err
		}
	}
	return f, nil
}

func numberToChar(_ *Env, t []types.T, a []types.Datum) (types.Datum, error) {
	f, err := parseNumFormat(string(a[1].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	x := new(apd.Decimal)
	switch t[0].Phys() {
	case types.PhysInt:
		numeric.SetInt64(x, a[0].Int)
	case types.PhysFloat:
		digits := 15
		if t[0].Kind == types.Float4 {
			digits = 6
		}
		if err := numeric.FromFloat(x, a[0].Float, digits); err != nil {
			return types.NullDatum, err
		}
	default:
		x.Set(a[0].Decimal)
	}
	return types.NewText(f.print(x)), nil
}

// print writes x; what has too many digits becomes #.
func (f *numFormat) print(x *apd.Decimal) string {
	neg := numeric.Sign(x) < 0
	r := new(apd.Decimal)
	overflow := !numeric.IsFinite(x)
	var whole, frac string
	if !overflow {
		_ = numeric.Round(r, x, f.post)
		r.Negative = false
		whole, frac, _ = strings.Cut(numeric.String(r), ".")
		if whole == "0" {
			whole = ""
		}
		overflow = len(whole) > f.pre
		if numeric.Sign(r) == 0 {
			neg = false
		}
	}
	if overflow {
		whole, frac = strings.Repeat("#", f.pre), strings.Repeat("#", f.post)
	}
	relevant := strings.TrimRight(frac, "0")
	lead := f.pre - len(whole) // positions before the first digit
	if f.zeroAt >= 0 && f.zeroAt < lead {
		lead = f.zeroAt
	}
	if lead == f.pre && f.pre > 0 && (f.post == 0 || f.fill && relevant == "") && len(whole) == 0 {
		lead-- // a lone 0 is shown where there is no fraction
	}
	digits := strings.Repeat("0", f.pre-len(whole)) + whole
	var b strings.Builder
	signAt := func() string {
		switch {
		case neg:
			return "-"
		case f.fill:
			return ""
		}
		return " "
	}
	signed := f.sign != "" && !strings.HasPrefix(f.sign, "PL")
	pos, post := 0, 0
	started, point := false, false
	text := 0
	start := func() {
		if started {
			return
		}
		started = true
		switch {
		case !signed:
			b.WriteString(signAt())
		case f.sign == "S<":
			b.WriteString(map[bool]string{true: "-", false: "+"}[neg])
		case strings.HasPrefix(f.sign, "PR"):
			b.WriteString(map[bool]string{true: "<", false: strings.Repeat(" ", b2i(!f.fill))}[neg])
		}
	}
	for _, e := range f.elems {
		switch e {
		case 'q':
			start()
			b.WriteString(f.texts[text])
			text++
		case ',':
			switch {
			case pos > lead || started && pos > 0 && f.zeroAt >= 0 && pos > f.zeroAt:
				b.WriteByte(',')
			case !f.fill:
				b.WriteByte(' ')
			}
		case '.':
			start()
			point = true
			b.WriteByte('.')
		default:
			if point {
				if !f.fill || post < len(relevant) || e == '0' || overflow || laterZero(f, post) {
					b.WriteByte(frac[post])
				}
				post++
				continue
			}
			if pos < lead {
				if !f.fill {
					b.WriteByte(' ')
				}
			} else {
				start()
				b.WriteByte(digits[pos])
			}
			pos++
		}
	}
	out := b.String()
	blank := func(s string) string {
		if f.fill && s == " " {
			return ""
		}
		return s
	}
	pick := func(n, p string) string {
		if neg {
			return n
		}
		return blank(p)
	}
	switch f.sign {
	case "S>":
		out += map[bool]string{true: "-", false: "+"}[neg]
	case "MI>":
		out += pick("-", " ")
	case "MI<":
		out = pick("-", " ") + out
	case "PL>":
		out += map[bool]string{true: " ", false: "+"}[neg]
	case "PL<":
		out = map[bool]string{true: " ", false: "+"}[neg] + out
	case "SG>":
		out += map[bool]string{true: "-", false: "+"}[neg]
	case "SG<":
		out = map[bool]string{true: "-", false: "+"}[neg] + out
	case "PR>", "PR<":
		out += pick(">", " ")
	}
	return out
}

// laterZero says that a 0 of the template follows the given digit after the
// point, so that zeros up to it are shown.
func laterZero(f *numFormat, post int) bool {
	k, point := 0, false
	for _, e := range f.elems {
		switch {
		case e == '.':
			point = true
		case point && (e == '9' || e == '0'):
			if k >= post && e == '0' {
				return true
			}
			k++
		}
	}
	return false
}

// toNumber reads the digits, sign and point that the template allows.
func toNumber(_ *Env, _ []types.T, a []types.Datum) (types.Datum, error) {
	f, err := parseNumFormat(string(a[1].Bytes))
	if err != nil {
		return types.NullDatum, err
	}
	if len(a[1].Bytes) == 0 {
		return types.NullDatum, nil
	}
	s := string(a[0].Bytes)
	var b strings.Builder
	neg := strings.ContainsAny(s, "-<")
	point := false
	pre, post := 0, 0
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= '0' && c <= '9' && !point && pre < f.pre:
			b.WriteByte(c)
			pre++
		case c >= '0' && c <= '9' && point && post < f.post:
			b.WriteByte(c)
			post++
		case c == '.' && !point && f.post > 0:
			point = true
			b.WriteByte(c)
		}
	}
	if pre+post == 0 {
		return types.NullDatum, sqlerr.New(sqlerr.InvalidTextRepresentation, `invalid input syntax for type numeric: "%s"`, " ")
	}
	z := new(apd.Decimal)
	if err := numeric.Parse(z, b.String()); err != nil {
		return types.NullDatum, err
	}
	if neg {
		numeric.Neg(z, z)
	}
	return types.NewDecimal(z), nil
}
