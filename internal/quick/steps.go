package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// step is a command that fails where something is wrong: by its status or, for gofmt, by what it
// prints.
type step struct {
	what     string
	args     []string
	mustHush bool
}

func (s step) title() string { return "== " + s.what }

func (s step) run(root string) error {
	cmd := exec.Command(s.args[0], s.args[1:]...)
	cmd.Dir = root
	cmd.Stderr = os.Stderr
	if s.mustHush {
		out, err := cmd.Output()
		if err == nil && len(out) > 0 {
			err = fmt.Errorf("would change\n%s", out)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.what, err)
		}
		return nil
	}
	cmd.Stdout = os.Stdout
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", s.what, err)
	}
	return nil
}

// steps are the commands of a selection, cheap ones first.
func (s *selection) steps() (all []step) {
	if len(s.format) > 0 {
		all = append(all, step{"gofmt", append([]string{"gofmt", "-l"}, s.format...), true})
	}
	suites := slices.Sorted(maps.Keys(s.some))
	vetted := slices.Concat(s.changed, s.importers, suites)
	slices.Sort(vetted)
	if vetted = slices.Compact(vetted); len(vetted) > 0 {
		all = append(all, step{"vet", append([]string{"go", "vet"}, patterns(vetted)...), false})
	}
	if len(s.changed) > 0 {
		all = append(all, step{"tests of what has changed", append([]string{"go", "test"}, patterns(s.changed)...), false})
	}
	if len(s.importers) > 0 {
		all = append(all, step{"tests of what imports it", append([]string{"go", "test", "-short"}, patterns(s.importers)...), false})
	}
	for _, dir := range suites {
		run := "^(" + strings.Join(s.some[dir], "|") + ")$"
		all = append(all, step{"some tests of " + dir, []string{"go", "test", "-short", "-run", run, "./" + dir}, false})
	}
	return all
}

// patterns are folders as go takes them.
func patterns(dirs []string) (all []string) {
	for _, d := range dirs {
		if d != "." {
			d = "./" + d
		}
		all = append(all, d)
	}
	return all
}
