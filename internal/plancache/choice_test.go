package plancache

import "testing"

// TestChoice: the first runs have plans of their own, those that follow only where these have
// been cheaper, with what planning them costs.
func TestChoice(t *testing.T) {
	for _, x := range []struct {
		generic, custom float64
		wants           bool
	}{
		{1e6, 10, true}, {1000, 10, false}, {10, 10, false}, {costPlanning*2 + 11, 10, true},
	} {
		var c Choice
		for n := range TriedPlans {
			if !c.WantsCustom() {
				t.Errorf("%v: none of its own after %d runs", x, n)
			}
			c.Note(x.generic, x.custom, 1)
		}
		if c.WantsCustom() != x.wants {
			t.Errorf("%v: %v after %d runs", x, !x.wants, TriedPlans)
		}
	}
	for text, want := range map[string]Mode{"auto": ModeAuto, "force_generic_plan": ModeGeneric, "force_custom_plan": ModeCustom} {
		if got := ModeOf(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
