package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// newFlags makes a flag set whose help begins with intro.
func newFlags(name, intro string, stderr io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Usage = func() {
		fmt.Fprintf(stderr, "%s\n\nFlags:\n", strings.TrimSpace(intro))
		fs.VisitAll(func(f *flag.Flag) {
			arg, doc := flag.UnquoteUsage(f)
			if arg != "" {
				arg = " " + arg
			}
			def := ""
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
				def = fmt.Sprintf(" (default %s)", f.DefValue)
			}
			fmt.Fprintf(stderr, "  --%s%s\n        %s%s\n        environment: %s\n", f.Name, arg, doc, def, envName(f.Name))
		})
	}
	return fs
}

func envName(flagName string) string {
	return "SALTSQL_" + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// parseFlags reads the environment first, then args: a flag wins.
func parseFlags(fs *flag.FlagSet, args []string, stderr io.Writer) error {
	var bad error
	fs.VisitAll(func(f *flag.Flag) {
		if v, ok := os.LookupEnv(envName(f.Name)); ok && bad == nil {
			if err := fs.Set(f.Name, v); err != nil {
				bad = fmt.Errorf("%s=%q: %w", envName(f.Name), v, err)
			}
		}
	})
	if bad != nil {
		return bad
	}
	if err := fs.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return err
		}
		return errUsage
	}
	if fs.NArg() > 0 {
		fmt.Fprintf(stderr, "saltsql %s: unexpected argument %q\n", fs.Name(), fs.Arg(0))
		return errUsage
	}
	return nil
}
