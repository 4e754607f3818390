package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
)

// version says what was built: the module's version, or the commit it was
// built from.
func version() string {
	v, rev := "development build", ""
	if bi, ok := debug.ReadBuildInfo(); ok {
		if bi.Main.Version != "" && bi.Main.Version != "(devel)" {
			v = bi.Main.Version
		}
		for _, s := range bi.Settings {
			if s.Key == "vcs.revision" {
				rev = " " + s.Value[:min(12, len(s.Value))]
			}
		}
	}
	return fmt.Sprintf("saltsql %s%s (%s, %s/%s)", v, rev, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}
