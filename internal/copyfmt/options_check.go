package copyfmt

import (
	"slices"
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// complete fills in the format's defaults and turns texts into single bytes.
func (p *optionParser) complete() error {
	o := p.out
	if o.Format == Binary {
		switch {
		case p.seen["delimiter"]:
			return sqlerr.New(sqlerr.SyntaxError, "cannot specify DELIMITER in BINARY mode")
		case p.seen["null"]:
			return sqlerr.New(sqlerr.SyntaxError, "cannot specify NULL in BINARY mode")
		case o.Header != HeaderNone:
			return sqlerr.New(sqlerr.FeatureNotSupported, "cannot specify HEADER in BINARY mode")
		}
	}
	if o.Format == CSV {
		o.Delimiter, o.Null, o.Quote = ',', "", '"'
	}
	if p.seen["null"] {
		o.Null = p.null
	}
	if err := p.single("delimiter", p.delimiter, &o.Delimiter); err != nil {
		return err
	}
	if o.Format != CSV {
		return p.csvOnly()
	}
	if err := p.single("quote", p.quote, &o.Quote); err != nil {
		return err
	}
	o.Escape = o.Quote
	return p.single("escape", p.escape, &o.Escape)
}

func (p *optionParser) single(name, value string, dst *byte) error {
	if !p.seen[name] {
		return nil
	}
	if len(value) != 1 {
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY %s must be a single one-byte character", name)
	}
	*dst = value[0]
	return nil
}

func (p *optionParser) csvOnly() error {
	for _, name := range []string{"quote", "escape", "force_quote", "force_not_null", "force_null"} {
		if p.seen[name] {
			return sqlerr.New(sqlerr.FeatureNotSupported, "COPY %s available only in CSV mode", strings.ReplaceAll(name, "_", " "))
		}
	}
	return nil
}

// check refuses what cannot be read back.
func (p *optionParser) check(from bool) error {
	o := p.out
	switch {
	case o.Delimiter == '\n' || o.Delimiter == '\r':
		return sqlerr.New(sqlerr.InvalidParameterValue, "COPY delimiter cannot be newline or carriage return")
	case strings.ContainsAny(o.Null, "\r\n"):
		return sqlerr.New(sqlerr.InvalidParameterValue, "COPY null representation cannot use newline or carriage return")
	case o.Format == Text && strings.IndexByte(`\.abcdefghijklmnopqrstuvwxyz0123456789`, o.Delimiter) >= 0:
		return sqlerr.New(sqlerr.InvalidParameterValue, `COPY delimiter cannot be "%c"`, o.Delimiter)
	case o.Format == CSV && o.Delimiter == o.Quote:
		return sqlerr.New(sqlerr.InvalidParameterValue, "COPY delimiter and quote must be different")
	case p.seen["force_quote"] && from:
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY force quote only available using COPY TO")
	case p.seen["force_not_null"] && !from:
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY force not null only available using COPY FROM")
	case p.seen["force_null"] && !from:
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY force null only available using COPY FROM")
	case o.Format != Binary && strings.IndexByte(o.Null, o.Delimiter) >= 0:
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY delimiter must not appear in the NULL specification")
	case o.Format == CSV && strings.IndexByte(o.Null, o.Quote) >= 0:
		return sqlerr.New(sqlerr.FeatureNotSupported, "CSV quote character must not appear in the NULL specification")
	case p.seen["upsert"] && !from:
		return sqlerr.New(sqlerr.FeatureNotSupported, "COPY upsert only available using COPY FROM")
	case o.Header == HeaderMatch && !from:
		return sqlerr.New(sqlerr.FeatureNotSupported, `cannot use "match" with HEADER in COPY TO`)
	}
	return nil
}

// checkColumns refuses names in the FORCE_… options that columns does not hold.
func (o *Options) checkColumns(columns []string) error {
	lists := []struct {
		option string
		names  []string
	}{
		{"FORCE_QUOTE", o.ForceQuote},
		{"FORCE_NOT_NULL", o.ForceNotNull},
		{"FORCE_NULL", o.ForceNull},
	}
	for _, l := range lists {
		for _, name := range l.names {
			if !slices.Contains(columns, name) {
				return sqlerr.New(sqlerr.InvalidColumnReference, `%s column "%s" not referenced by COPY`, l.option, name)
			}
		}
	}
	return nil
}

// flags gives one bool per column: is it in names.
func flags(cols []Column, names []string) []bool {
	out := make([]bool, len(cols))
	for i := range cols {
		out[i] = slices.Contains(names, cols[i].Name)
	}
	return out
}
