package expr

import (
	"errors"
	"regexp"
	"regexp/syntax"
	"strings"
	"unicode/utf8"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Postgres's advanced regular expressions in terms of RE2. What RE2 cannot do
// (back references, look-around) is 0A000. Matching is leftmost-longest, as
// Postgres's greedy expressions are; expressions whose quantifiers are all
// non-greedy prefer the shortest.

// regexFlags are the flags of the regexp_* functions.
type regexFlags struct {
	fold, global     bool
	dotLine, anchors bool // n: . stops at newlines, ^ and $ match at them
	expanded, quote  bool
}

func parseRegexFlags(s string) (regexFlags, error) {
	var f regexFlags
	for i := range len(s) {
		switch s[i] {
		case 'i':
			f.fold = true
		case 'c':
			f.fold = false
		case 'g':
			f.global = true
		case 'n', 'm':
			f.dotLine, f.anchors = true, true
		case 's':
			f.dotLine, f.anchors = false, false
		case 'p':
			f.dotLine, f.anchors = true, false
		case 'w':
			f.dotLine, f.anchors = false, true
		case 'x':
			f.expanded = true
		case 't':
			f.expanded = false
		case 'q':
			f.quote = true
		default:
			_, n := utf8.DecodeRuneInString(s[i:])
			return f, sqlerr.New(sqlerr.InvalidParameterValue, `invalid regular expression option: "%s"`, s[i:i+n])
		}
	}
	return f, nil
}

func badRegex(why string) error {
	return sqlerr.New(sqlerr.InvalidRegularExpression, "invalid regular expression: %s", why)
}

func noRegex(what, instead string) error {
	return sqlerr.Unsupported("regular expressions with "+what+" are not supported", instead)
}

// regex is a compiled expression.
type regex struct {
	re *regexp.Regexp
	// mixed says that greedy and non-greedy quantifiers, or alternatives, meet,
	// so that which text is matched may differ from Postgres; whether any is
	// does not.
	mixed bool
}

func compileRegex(pattern string, flags regexFlags) (*regex, error) {
	t := &regexTranslator{in: pattern, flags: flags}
	var body string
	if flags.quote {
		body = regexp.QuoteMeta(pattern)
	} else {
		if err := t.prefix(); err != nil {
			return nil, err
		}
		if err := t.run(); err != nil {
			return nil, err
		}
		body = t.out.String()
	}
	opts := ""
	if t.flags.fold {
		opts += "i"
	}
	if !t.flags.dotLine {
		opts += "s"
	}
	if t.flags.anchors {
		opts += "m"
	}
	if opts != "" {
		body = "(?" + opts + ")" + body
	}
	re, err := regexp.Compile(body)
	if err != nil {
		return nil, regexError(err)
	}
	if !t.lazy {
		re.Longest()
	}
	return &regex{re: re, mixed: t.lazy && (t.greedy || t.alternative)}, nil
}

func regexError(err error) error {
	var se *syntax.Error
	if !errors.As(err, &se) {
		return badRegex(err.Error())
	}
	switch se.Code {
	case syntax.ErrMissingParen, syntax.ErrUnexpectedParen:
		return badRegex("parentheses () not balanced")
	case syntax.ErrMissingBracket:
		return badRegex("brackets [] not balanced")
	case syntax.ErrMissingRepeatArgument, syntax.ErrInvalidRepeatOp:
		return badRegex("quantifier operand invalid")
	case syntax.ErrInvalidRepeatSize:
		return badRegex("invalid repetition count(s)")
	case syntax.ErrInvalidCharRange:
		return badRegex("invalid character range")
	case syntax.ErrInvalidEscape, syntax.ErrTrailingBackslash:
		return badRegex(`invalid escape \ sequence`)
	case syntax.ErrLarge, syntax.ErrNestingDepth:
		return sqlerr.New(sqlerr.ProgramLimitExceeded, "invalid regular expression: regular expression is too complex")
	}
	return badRegex(se.Code.String())
}

type regexTranslator struct {
	in    string
	i     int
	flags regexFlags
	out   strings.Builder
	depth int

	lazy, greedy, alternative bool
	lastWord                  bool // the atom before is one word character
}

// prefix reads ***: and (?flags) at the start.
func (t *regexTranslator) prefix() error {
	switch {
	case strings.HasPrefix(t.in, "***="):
		t.in = regexp.QuoteMeta(t.in[4:])
	case strings.HasPrefix(t.in, "***:"):
		t.in = t.in[4:]
	}
	if strings.HasPrefix(t.in, "(?") && len(t.in) > 2 && t.in[2] >= 'a' && t.in[2] <= 'z' {
		end := strings.IndexByte(t.in, ')')
		if end < 0 {
			return badRegex("parentheses () not balanced")
		}
		more, err := parseRegexFlags(t.in[2:end])
		if err != nil || more.global {
			return badRegex("invalid embedded option")
		}
		more.fold = more.fold || t.flags.fold && !strings.Contains(t.in[2:end], "c")
		t.flags = more
		t.in = t.in[end+1:]
	}
	return nil
}

func (t *regexTranslator) rest() string { return t.in[t.i:] }

func isWordByte(c byte) bool {
	return c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

func (t *regexTranslator) run() error {
	for t.i < len(t.in) {
		c := t.in[t.i]
		word := false
		switch c {
		case '\\':
			w, err := t.escape(false)
			if err != nil {
				return err
			}
			t.lastWord = w
			continue
		case '[':
			if err := t.bracket(); err != nil {
				return err
			}
			t.lastWord = false
			continue
		case '(':
			if strings.HasPrefix(t.rest(), "(?") && !strings.HasPrefix(t.rest(), "(?:") {
				if r := t.rest(); len(r) > 2 && (r[2] == '=' || r[2] == '!' || r[2] == '<') {
					return noRegex("look-ahead or look-behind", "Match the context too and cut it off with substring or regexp_replace.")
				}
				return badRegex("quantifier operand invalid")
			}
		case '|':
			t.alternative = true
		case '*', '+', '?', '{':
			if err := t.quantifier(); err != nil {
				return err
			}
			continue
		case ' ', '\t', '\n', '\r', '\v', '\f', '#':
			if t.flags.expanded {
				if c == '#' {
					for t.i < len(t.in) && t.in[t.i] != '\n' {
						t.i++
					}
				} else {
					t.i++
				}
				continue
			}
			word = false
		default:
			word = isWordByte(c)
		}
		if c >= utf8.RuneSelf {
			_, n := utf8.DecodeRuneInString(t.rest())
			t.out.WriteString(t.in[t.i : t.i+n])
			t.i += n
		} else {
			t.out.WriteByte(c)
			t.i++
		}
		t.lastWord = word
	}
	return nil
}

func (t *regexTranslator) quantifier() error {
	c := t.in[t.i]
	start := t.i
	t.i++
	if c == '{' {
		if t.i >= len(t.in) || t.in[t.i] < '0' || t.in[t.i] > '9' {
			t.out.WriteString(`\{`)
			t.lastWord = false
			return nil
		}
		end := strings.IndexByte(t.rest(), '}')
		if end < 0 {
			return badRegex("braces {} not balanced")
		}
		if strings.Trim(t.in[t.i:t.i+end], "0123456789,") != "" || strings.Count(t.in[t.i:t.i+end], ",") > 1 {
			return badRegex("invalid repetition count(s)")
		}
		lo, hi, _ := strings.Cut(t.in[t.i:t.i+end], ",")
		if len(lo) > 3 || len(hi) > 3 || lo > "255" && len(lo) == 3 || hi > "255" && len(hi) == 3 {
			return badRegex("invalid repetition count(s)")
		}
		t.i += end + 1
	}
	t.out.WriteString(t.in[start:t.i])
	if t.i < len(t.in) && t.in[t.i] == '?' {
		t.out.WriteByte('?')
		t.i++
		t.lazy = true
	} else {
		t.greedy = true
	}
	if t.i < len(t.in) && strings.IndexByte("*+?", t.in[t.i]) >= 0 {
		return badRegex("quantifier operand invalid")
	}
	return nil
}

// escape translates \x and says whether it matches one word character.
func (t *regexTranslator) escape(inBracket bool) (word bool, err error) {
	t.i++
	if t.i >= len(t.in) {
		return false, badRegex(`invalid escape \ sequence`)
	}
	c := t.in[t.i]
	t.i++
	if c >= utf8.RuneSelf {
		t.i--
		_, n := utf8.DecodeRuneInString(t.rest())
		t.out.WriteString(t.in[t.i : t.i+n])
		t.i += n
		return false, nil
	}
	code := func(r int64) (bool, error) {
		if r > utf8.MaxRune {
			return false, badRegex(`invalid escape \ sequence`)
		}
		t.out.WriteString(`\x{` + string(appendHex(nil, uint64(r))) + `}`)
		return r < utf8.RuneSelf && isWordByte(byte(r)), nil
	}
	hexDigits := func(minLen, maxLen int) (int64, bool) {
		var v int64
		n := 0
		for n < maxLen && t.i < len(t.in) {
			d := strings.IndexByte("0123456789abcdef", t.in[t.i]|0x20)
			if t.in[t.i] >= '0' && t.in[t.i] <= '9' {
				d = int(t.in[t.i] - '0')
			}
			if d < 0 {
				break
			}
			v = v<<4 | int64(d)
			t.i++
			n++
		}
		return v, n >= minLen
	}
	switch c {
	case 'd', 'w', 's', 'D', 'W', 'S':
		if inBracket && c < 'a' {
			return false, badRegex(`invalid escape \ sequence`)
		}
		if c == 's' {
			t.out.WriteString(map[bool]string{true: `[:space:]`, false: `[[:space:]]`}[inBracket])
		} else if c == 'S' {
			t.out.WriteString(`[^[:space:]]`)
		} else {
			t.out.WriteString(`\` + string(c))
		}
		return c == 'w' || c == 'd', nil
	case 'a':
		return code(7)
	case 'b':
		return code(8)
	case 'B':
		t.out.WriteString(`\\`)
		return false, nil
	case 'e':
		return code(27)
	case 'f', 'n', 'r', 't', 'v':
		t.out.WriteString(`\` + string(c))
		return false, nil
	case 'c':
		if t.i >= len(t.in) {
			return false, badRegex(`invalid escape \ sequence`)
		}
		t.i++
		return code(int64(t.in[t.i-1] & 31))
	case 'u', 'U', 'x':
		lens := map[byte][2]int{'u': {4, 4}, 'U': {8, 8}, 'x': {1, 8}}[c]
		v, ok := hexDigits(lens[0], lens[1])
		if !ok {
			return false, badRegex(`invalid escape \ sequence`)
		}
		return code(v)
	case '0':
		return code(0)
	case '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return false, noRegex("back references", "Compare the parts that regexp_match returns instead.")
	}
	if inBracket {
		if isWordByte(c) {
			return false, badRegex(`invalid escape \ sequence`)
		}
		t.out.WriteString(`\` + string(c))
		return false, nil
	}
	switch c {
	case 'A':
		t.out.WriteString(`\A`)
	case 'Z':
		t.out.WriteString(`\z`)
	case 'y':
		t.out.WriteString(`\b`)
	case 'Y':
		t.out.WriteString(`\B`)
	case 'm':
		if !t.nextIsWord() {
			return false, noRegex(`\m before what is not one word character`, `Write \y and a word character, such as \yfoo.`)
		}
		t.out.WriteString(`\b`)
	case 'M':
		if !t.lastWord {
			return false, noRegex(`\M after what is not one word character`, `Write a word character and \y, such as foo\y.`)
		}
		t.out.WriteString(`\b`)
	default:
		if isWordByte(c) && c != '_' {
			return false, badRegex(`invalid escape \ sequence`)
		}
		t.out.WriteString(regexp.QuoteMeta(string(c)))
	}
	return false, nil
}

// nextIsWord says that a word character must follow here.
func (t *regexTranslator) nextIsWord() bool {
	r := t.rest()
	ok := r != "" && isWordByte(r[0])
	n := 1
	if strings.HasPrefix(r, `\w`) || strings.HasPrefix(r, `\d`) {
		ok, n = true, 2
	}
	// An atom that may be missing does not bind.
	return ok && (len(r) == n || strings.IndexByte("*?{", r[n]) < 0)
}

func (t *regexTranslator) bracket() error {
	r := t.rest()
	switch {
	case strings.HasPrefix(r, "[[:<:]]"), strings.HasPrefix(r, "[[:>:]]"):
		start := r[3] == '<'
		t.i += 7
		if start && !t.nextIsWord() || !start && !t.lastWord {
			return noRegex(r[:7]+" beside what is not one word character", `Write \y and a word character.`)
		}
		t.out.WriteString(`\b`)
		return nil
	}
	t.i++
	t.out.WriteByte('[')
	if strings.HasPrefix(t.rest(), "^") {
		t.out.WriteByte('^')
		t.i++
		if t.flags.dotLine {
			t.out.WriteString(`\n`)
		}
	}
	if strings.HasPrefix(t.rest(), "]") {
		t.out.WriteString(`\]`)
		t.i++
	}
	for {
		r := t.rest()
		if r == "" {
			return badRegex("brackets [] not balanced")
		}
		switch {
		case r[0] == ']':
			t.out.WriteByte(']')
			t.i++
			return nil
		case r[0] == '\\':
			if _, err := t.escape(true); err != nil {
				return err
			}
		case strings.HasPrefix(r, "[:"):
			end := strings.Index(r, ":]")
			if end < 0 {
				return badRegex("brackets [] not balanced")
			}
			switch r[2:end] {
			case "alnum", "alpha", "blank", "cntrl", "digit", "graph", "lower", "print", "punct", "space", "upper", "xdigit", "word":
			default:
				return badRegex("invalid character class")
			}
			t.out.WriteString(r[:end+2])
			t.i += end + 2
		case strings.HasPrefix(r, "[.") || strings.HasPrefix(r, "[="):
			return noRegex("collating elements", "List the characters themselves.")
		case r[0] == '[':
			t.out.WriteString(`\[`)
			t.i++
		case r[0] == '&' || r[0] == '~':
			t.out.WriteString(`\` + r[:1])
			t.i++
		default:
			_, n := utf8.DecodeRuneInString(r)
			t.out.WriteString(r[:n])
			t.i += n
		}
	}
}

// similarToRegex translates a SIMILAR TO pattern, as similar_to_escape does.
func similarToRegex(pat []byte, esc []byte, hasEsc bool) (string, error) {
	e := []byte{'\\'}
	if hasEsc {
		if utf8.RuneCount(esc) > 1 {
			return "", sqlerr.New(sqlerr.InvalidEscapeSequence, "invalid escape string").
				WithHint("Escape string must be empty or one character.")
		}
		e = esc
	}
	var b strings.Builder
	b.WriteString("^(?:")
	inClass, afterEscape := false, false
	quotes := 0
	for s := string(pat); s != ""; {
		_, n := utf8.DecodeRuneInString(s)
		c := s[:n]
		s = s[n:]
		switch {
		case afterEscape:
			if c == `"` && !inClass {
				switch quotes {
				case 0:
					b.WriteString("){1,1}?(")
				case 1:
					b.WriteString("){1,1}(?:")
				default:
					return "", sqlerr.New(sqlerr.InvalidEscapeSequence, "SQL regular expression may not contain more than two escape-double-quote separators")
				}
				quotes++
			} else {
				b.WriteString(`\` + c)
			}
			afterEscape = false
		case len(e) > 0 && c == string(e):
			afterEscape = true
		case inClass:
			if c == `\` {
				b.WriteByte('\\')
			}
			b.WriteString(c)
			inClass = c != "]"
		case c == "[":
			b.WriteString(c)
			inClass = true
		case c == "%":
			b.WriteString(".*")
		case c == "_":
			b.WriteString(".")
		case c == "(":
			b.WriteString("(?:")
		case c == `\` || c == "." || c == "^" || c == "$":
			b.WriteString(`\` + c)
		default:
			b.WriteString(c)
		}
	}
	if quotes > 0 {
		return "", noRegex(`SIMILAR separators (escape-double-quote)`, "Use substring(x FROM 'regular expression').")
	}
	b.WriteString(")$")
	return b.String(), nil
}
