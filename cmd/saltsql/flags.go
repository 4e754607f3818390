package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// newFlags makes a flag set whose help, on stdout, begins with intro.
func newFlags(name, intro string, stdout io.Writer) *flag.FlagSet {
	fs := flag.NewFlagSet(name, flag.ContinueOnError)
	fs.SetOutput(io.Discard) // parseFlags tells of errors
	fs.Usage = func() {
		fmt.Fprintf(stdout, "%s\n\nFlags:\n", strings.TrimSpace(intro))
		fs.VisitAll(func(f *flag.Flag) {
			arg, doc := flag.UnquoteUsage(f)
			if arg != "" {
				arg = " " + arg
			}
			def := ""
			if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "0" && f.DefValue != "0s" {
				def = fmt.Sprintf(" (default %s)", f.DefValue)
			}
			fmt.Fprintf(stdout, "  --%s%s\n        %s%s\n        environment: %s\n", f.Name, arg, doc, def, envName(f.Name))
		})
	}
	return fs
}

func envName(flagName string) string {
	return "SALTSQL_" + strings.ToUpper(strings.ReplaceAll(flagName, "-", "_"))
}

// parseFlags reads the environment first, then args: a flag wins.
func parseFlags(fs *flag.FlagSet, args []string, stderr io.Writer) error {
	_, err := parseArgs(fs, args, stderr)
	return err
}

// parseArgs is parseFlags for commands that take arguments beside flags: as many as there are
// names, and for a last name that ends with "…" any number.
func parseArgs(fs *flag.FlagSet, args []string, stderr io.Writer, names ...string) ([]string, error) {
	var bad error
	fs.VisitAll(func(f *flag.Flag) {
		if v, ok := os.LookupEnv(envName(f.Name)); ok && bad == nil {
			if err := fs.Set(f.Name, v); err != nil {
				bad = fmt.Errorf("%s=%q: %w", envName(f.Name), v, err)
			}
		}
	})
	if bad != nil {
		return nil, bad
	}
	usage := fs.Usage
	fs.Usage = func() {} // Parse would print it after each error
	var rest []string
	err := fs.Parse(args)
	for err == nil && fs.NArg() > 0 { // flags may follow arguments
		rest = append(rest, fs.Arg(0))
		err = fs.Parse(fs.Args()[1:])
	}
	need := len(names)
	many := need > 0 && strings.HasSuffix(names[need-1], "…")
	if many {
		need--
	}
	switch {
	case errors.Is(err, flag.ErrHelp):
		usage()
		return nil, err
	case err != nil:
		err = errors.New(strings.NewReplacer(" for -", " for --", "flag -", "flag --", "defined: -", "defined: --").Replace(err.Error()))
	case len(rest) < need:
		err = fmt.Errorf("it takes %s", strings.Join(names, " "))
	case len(rest) > need && !many:
		err = fmt.Errorf("unexpected argument %q", rest[need])
	default:
		return rest, nil
	}
	fmt.Fprintf(stderr, "saltsql %s: %v\nsaltsql %s --help lists the flags.\n", fs.Name(), err, fs.Name())
	return nil, errUsage
}

// durationFlag is a length of time with its unit.
type durationFlag time.Duration

func durationVar(d *time.Duration, def time.Duration) *durationFlag {
	*d = def
	return (*durationFlag)(d)
}

func (d *durationFlag) String() string { return time.Duration(*d).String() }

func (d *durationFlag) Set(text string) error {
	v, err := time.ParseDuration(text)
	if err != nil {
		return errors.New("a time is a number with its unit, as 500ms, 30s or 5m")
	}
	*d = durationFlag(v)
	return nil
}
