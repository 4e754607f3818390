package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/saltsql/saltsql/internal/settings"
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

// parseFlags is parse for commands that take flags only.
func parseFlags(fs *flag.FlagSet, args []string, stderr io.Writer) error {
	_, _, err := parse(fs, args, stderr)
	return err
}

// parseArgs is parse for who does not ask where values come from.
func parseArgs(fs *flag.FlagSet, args []string, stderr io.Writer, names ...string) ([]string, error) {
	rest, _, err := parse(fs, args, stderr, names...)
	return rest, err
}

// parse reads args, then the environment and the file of --config for what args do not set:
// sources says which gave a value. Beside flags the command takes as many arguments as there
// are names, and for a last name that ends with "…" any number.
func parse(fs *flag.FlagSet, args []string, stderr io.Writer, names ...string) (rest []string, sources map[string]string, err error) {
	usage := fs.Usage
	fs.Usage = func() {} // Parse would print it after each error
	err = fs.Parse(args)
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
		return nil, nil, err
	case err != nil:
		err = errors.New(strings.NewReplacer(" for -", " for --", "flag -", "flag --", "defined: -", "defined: --").Replace(err.Error()))
	case len(rest) < need:
		err = fmt.Errorf("it takes %s", strings.Join(names, " "))
	case len(rest) > need && !many:
		err = fmt.Errorf("unexpected argument %q", rest[need])
	default:
		if sources, err = fill(fs); err != nil {
			err = settingError{err}
		}
		return rest, sources, err
	}
	return nil, nil, misused(fs, stderr, err)
}

// misused tells of a command that was written wrongly, and gives errUsage.
func misused(fs *flag.FlagSet, stderr io.Writer, err error) error {
	fmt.Fprintf(stderr, "saltsql %s: %v\nsaltsql %s --help lists the flags.\n", fs.Name(), err, fs.Name())
	return errUsage
}

// durationFlag is a length of time with its unit.
type durationFlag time.Duration

func durationVar(d *time.Duration, def time.Duration) *durationFlag {
	*d = def
	return (*durationFlag)(d)
}

func (d *durationFlag) String() string { return time.Duration(*d).String() }

func (d *durationFlag) Set(text string) error {
	v, err := parseTime(text)
	if err != nil {
		return err
	}
	*d = durationFlag(v)
	return nil
}

// parseTime reads a length of time, with Go's units or PostgreSQL's: 1m30s, 5min, 2d. A bare
// number is none: programs differ over what it counts.
func parseTime(text string) (time.Duration, error) {
	if v, err := time.ParseDuration(text); err == nil {
		return v, nil
	}
	if s := strings.TrimSpace(text); s != "" && s[len(s)-1] > '9' {
		if v, err := settings.ParseDuration(s); err == nil {
			return v, nil
		}
	}
	return 0, errors.New("a time is a number with its unit, as 500ms, 30s, 5min or 1h")
}
