package settings

import (
	"testing"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// TestFixed holds that each fixed parameter takes its default as it is shown and as pg_settings has
// it, and that other values of it are refused.
func TestFixed(t *testing.T) {
	for i := range fixedParameters {
		p := &fixedParameters[i]
		for _, value := range []string{p.Default, p.Bare(p.Default)} {
			if kept, err := p.Check(p.Name, value); err != nil || kept != p.Default {
				t.Errorf("%s = %q: %q, %v", p.Name, value, kept, err)
			}
		}
		other := "17"
		switch {
		case p.Type == "bool" && p.Default == "on":
			other = "no"
		case p.Type == "bool":
			other = "yes"
		case p.Options != nil:
			for _, other = range p.Options {
				if other != p.Default {
					break
				}
			}
		}
		if _, err := p.Check(p.Name, other); sqlerr.CodeOf(err) != sqlerr.FeatureNotSupported {
			t.Errorf("%s = %q: %v", p.Name, other, err)
		}
	}
}
