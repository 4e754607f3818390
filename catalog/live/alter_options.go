package live

import (
	"slices"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// setOptions is SET (…). An option that cannot change may be named with the
// value it has.
func (a *alteration) setOptions(defs []catalog.OptionDef) error {
	for _, d := range defs {
		if n, ok := d.Idle(); ok {
			if n != nil {
				a.ch.notices.Add(n)
			}
			continue
		}
		opt, err := catalog.FindOption(d)
		if err != nil {
			return err
		}
		s := catalog.OptionSet{Options: a.t.Options}
		if err := opt.Set(&s, d); err != nil {
			return err
		}
		if !opt.Alter && !sameOptions(&s.Options, &a.t.Options) {
			return fixedOption(opt).At(d.Pos)
		}
		a.t.Options = s.Options
	}
	return nil
}

func (a *alteration) resetOptions(names []catalog.OptionDef) error {
	for _, d := range names {
		opt, err := catalog.FindOption(d)
		if err != nil {
			return err
		}
		switch opt.Name {
		case "TTL":
			a.t.Options.TTL = 0
		case "VERSIONS":
			a.t.Options.Versions = 1
		default:
			if opt.Show(a.t) != "" {
				return fixedOption(opt).At(d.Pos)
			}
		}
	}
	return nil
}

func fixedOption(opt *catalog.Option) *sqlerr.Error {
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s cannot be changed: it decides how rows are stored", opt.Name).
		WithHint("Create a table with the options you want and fill it with UPSERT INTO ... SELECT.")
}

func sameOptions(a, b *catalog.Options) bool {
	return a.SaltBuckets == b.SaltBuckets && slices.Equal(a.SaltColumns, b.SaltColumns) &&
		a.ColumnEncodedBytes == b.ColumnEncodedBytes && a.Layout == b.Layout && a.ImmutableRows == b.ImmutableRows &&
		a.DefaultFamily == b.DefaultFamily && a.TTL == b.TTL && a.Versions == b.Versions
}
