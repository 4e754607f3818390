package copyfmt

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// NewOptions checks and completes the options of a statement over columns, COPY
// FROM if from. 42601 for unknown, repeated or malformed options, 22023 for bad
// values, 0A000 for those that do not go together, 42P10 for columns that are not
// copied.
func NewOptions(list []Option, from bool, columns []string) (*Options, error) {
	p := optionParser{out: DefaultOptions(), seen: map[string]bool{}}
	for i := range list {
		o := &list[i]
		if p.seen[o.Name] {
			return nil, sqlerr.New(sqlerr.SyntaxError, "conflicting or redundant options").At(o.Pos)
		}
		p.seen[o.Name] = true
		if err := p.set(o); err != nil {
			return nil, err
		}
	}
	if err := p.complete(); err != nil {
		return nil, err
	}
	if err := p.check(from); err != nil {
		return nil, err
	}
	if err := p.out.checkColumns(columns); err != nil {
		return nil, err
	}
	return p.out, nil
}

// optionParser holds texts until the format, which decides the defaults, is
// known.
type optionParser struct {
	out                            *Options
	seen                           map[string]bool
	delimiter, null, quote, escape string
}

func (p *optionParser) set(o *Option) error {
	switch o.Name {
	case "format":
		return p.setFormat(o)
	case "delimiter":
		return text(o, &p.delimiter)
	case "null":
		return text(o, &p.null)
	case "quote":
		return text(o, &p.quote)
	case "escape":
		return text(o, &p.escape)
	case "header":
		return p.setHeader(o)
	case "freeze":
		return checkFreeze(o)
	case "upsert":
		return p.setUpsert(o)
	case "encoding":
		return checkEncoding(o)
	case "force_quote":
		p.out.ForceQuoteAll = o.Star
		if o.Star {
			return nil
		}
		return columnList(o, &p.out.ForceQuote)
	case "force_not_null":
		return columnList(o, &p.out.ForceNotNull)
	case "force_null":
		return columnList(o, &p.out.ForceNull)
	}
	return sqlerr.New(sqlerr.SyntaxError, `option "%s" not recognized`, o.Name).At(o.Pos)
}

func text(o *Option, dst *string) error {
	if !o.HasValue {
		return sqlerr.New(sqlerr.SyntaxError, "%s requires a parameter", o.Name).At(o.Pos)
	}
	*dst = o.Value
	return nil
}

func columnList(o *Option, dst *[]string) error {
	if len(o.List) == 0 {
		return sqlerr.New(sqlerr.InvalidParameterValue, `argument to option "%s" must be a list of column names`, o.Name).At(o.Pos)
	}
	*dst = o.List
	return nil
}

func (p *optionParser) setFormat(o *Option) error {
	var name string
	if err := text(o, &name); err != nil {
		return err
	}
	switch name {
	case "text":
		p.out.Format = Text
	case "csv":
		p.out.Format = CSV
	case "binary":
		p.out.Format = Binary
	default:
		return sqlerr.New(sqlerr.InvalidParameterValue, `COPY format "%s" not recognized`, name).At(o.Pos)
	}
	return nil
}

func (p *optionParser) setHeader(o *Option) error {
	if o.HasValue && strings.EqualFold(o.Value, "match") {
		p.out.Header = HeaderMatch
		return nil
	}
	on, ok := boolean(o)
	if !ok {
		return sqlerr.New(sqlerr.SyntaxError, `%s requires a Boolean value or "match"`, o.Name).At(o.Pos)
	}
	p.out.Header = HeaderNone
	if on {
		p.out.Header = HeaderLine
	}
	return nil
}

// boolean reads an option that is true when it stands alone.
func boolean(o *Option) (value, ok bool) {
	if !o.HasValue {
		return true, true
	}
	switch strings.ToLower(o.Value) {
	case "true", "on", "1":
		return true, true
	case "false", "off", "0":
		return false, true
	}
	return false, false
}

// setUpsert reads UPSERT, which Postgres has not: rows overwrite those that are
// there.
func (p *optionParser) setUpsert(o *Option) error {
	on, ok := boolean(o)
	if !ok {
		return sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name).At(o.Pos)
	}
	p.out.Upsert = on
	return nil
}

// checkFreeze takes FREEZE, which spares PostgreSQL's VACUUM a pass over the rows: here rows
// have no versions that it would have to freeze.
func checkFreeze(o *Option) error {
	if _, ok := boolean(o); !ok {
		return sqlerr.New(sqlerr.SyntaxError, "%s requires a Boolean value", o.Name).At(o.Pos)
	}
	return nil
}

func checkEncoding(o *Option) error {
	var name string
	if err := text(o, &name); err != nil {
		return err
	}
	switch strings.ToLower(strings.NewReplacer("-", "", "_", "").Replace(name)) {
	case "utf8", "unicode":
		return nil
	}
	return sqlerr.Unsupported(`COPY encoding "`+name+`" is not supported`, "Convert the data to UTF8 and use ENCODING 'UTF8' or none.").At(o.Pos)
}
