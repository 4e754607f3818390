package live

import (
	"reflect"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// setOptions is SET (…). An option that cannot change may be named with the
// value it has.
func (a *alteration) setOptions(defs []catalog.OptionDef) error {
	for _, d := range defs {
		if n, ok := d.Idle(); ok {
			if n != nil {
				a.ch.Notices.Add(n)
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
		if opt.Reset == nil && !sameOptions(&s.Options, &a.t.Options) {
			return fixedOption(opt).At(d.Pos)
		}
		a.t.Options = s.Options
	}
	return nil
}

func (a *alteration) resetOptions(names []catalog.OptionDef) error {
	for _, d := range names {
		if n, _ := d.Idle(); n != nil { // it has no effect: there is nothing to put back
			continue
		}
		opt, err := catalog.FindOption(d)
		if err != nil {
			return err
		}
		switch {
		case opt.Reset != nil:
			opt.Reset(&a.t.Options)
		case opt.Show(a.t) != "":
			return fixedOption(opt).At(d.Pos)
		}
	}
	return nil
}

// OfSalt says that options are those that Resalt changes.
func OfSalt(defs []catalog.OptionDef) bool {
	return len(defs) > 0 && !slices.ContainsFunc(defs, func(d catalog.OptionDef) bool {
		return !strings.EqualFold(d.Name, "SALT_BUCKETS") && !strings.EqualFold(d.Name, "SALT_COLUMNS")
	})
}

func fixedOption(opt *catalog.Option) *sqlerr.Error {
	if OfSalt([]catalog.OptionDef{{Name: opt.Name}}) {
		return sqlerr.New(sqlerr.FeatureNotSupported, "%s cannot be changed together with other things, or reset: all rows are copied for it", opt.Name).
			WithHint("Write ALTER TABLE ... SET (SALT_BUCKETS = n) as a statement of its own; 0 is unsalted.")
	}
	return sqlerr.New(sqlerr.FeatureNotSupported, "%s cannot be changed: it decides how rows are stored", opt.Name).
		WithHint("Create a table with the options you want and fill it with UPSERT INTO ... SELECT.")
}

// sameOptions compares all options, those also that are still to be thought of.
func sameOptions(a, b *catalog.Options) bool {
	x, y := *a, *b
	for _, o := range []*catalog.Options{&x, &y} {
		if len(o.SaltColumns) == 0 {
			o.SaltColumns = nil
		}
		if len(o.Splits) == 0 {
			o.Splits = nil
		}
	}
	return reflect.DeepEqual(&x, &y)
}
