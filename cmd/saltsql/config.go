package main

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
)

// configFlag names the file that parseArgs reads beside the environment and the arguments.
const configFlag = "config"

// setting is a line of a configuration file.
type setting struct {
	name, value string
	line        int
}

// readConfig reads lines of name = value. A name is a flag's, with - or _ between its words; a
// value may stand in double quotes, and # begins a comment outside of them.
func readConfig(path string) ([]setting, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var list []setting
	sc := bufio.NewScanner(bytes.NewReader(b))
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		name, value, ok := strings.Cut(line, "=")
		value = strings.TrimSpace(value)
		if rest, quoted := strings.CutPrefix(value, `"`); quoted {
			var tail string
			value, tail, ok = strings.Cut(rest, `"`)
			if tail = strings.TrimSpace(tail); tail != "" && tail[0] != '#' {
				ok = false
			}
		} else {
			value, _, _ = strings.Cut(value, " #")
			value = strings.TrimSpace(value)
		}
		if name = strings.ReplaceAll(strings.TrimSpace(name), "_", "-"); !ok || name == "" {
			return nil, fmt.Errorf("%s:%d: a line is name = value, with a value in double quotes where it holds #", path, n)
		}
		list = append(list, setting{name, value, n})
	}
	return list, sc.Err()
}

// fill sets what args have not set: from the environment, then from the file that --config
// names. It says where each value came from.
func fill(fs *flag.FlagSet) (sources map[string]string, err error) {
	sources = map[string]string{}
	fs.Visit(func(f *flag.Flag) { sources[f.Name] = "flag" })
	fs.VisitAll(func(f *flag.Flag) {
		v, ok := os.LookupEnv(envName(f.Name))
		if !ok || sources[f.Name] != "" || err != nil {
			return
		}
		sources[f.Name] = "environment, " + envName(f.Name)
		if bad := fs.Set(f.Name, truth(fs, f.Name, v)); bad != nil {
			err = fmt.Errorf("%s=%q: %w", envName(f.Name), v, bad)
		}
	})
	file := fs.Lookup(configFlag)
	if err != nil || file == nil || file.Value.String() == "" {
		return sources, err
	}
	path := file.Value.String()
	list, err := readConfig(path)
	if err != nil {
		return nil, fmt.Errorf("--%s: %w", configFlag, err)
	}
	at := map[string]int{}
	for _, s := range list {
		switch {
		case s.name == configFlag || fs.Lookup(s.name) == nil:
			return nil, fmt.Errorf("%s:%d: %q is no setting; saltsql %s --help lists them", path, s.line, s.name, fs.Name())
		case at[s.name] > 0:
			return nil, fmt.Errorf("%s:%d: %s is set in line %d already", path, s.line, s.name, at[s.name])
		}
		at[s.name] = s.line
		if sources[s.name] != "" {
			continue
		}
		if err := fs.Set(s.name, truth(fs, s.name, s.value)); err != nil {
			return nil, fmt.Errorf("%s:%d: %s: %w", path, s.line, s.name, err)
		}
	}
	for name, line := range at {
		if sources[name] == "" {
			sources[name] = fmt.Sprintf("%s:%d", path, line)
		}
	}
	return sources, nil
}

// truth takes on and off, as PostgreSQL's configuration has them, for flags that are true or false.
func truth(fs *flag.FlagSet, name, value string) string {
	if b, ok := fs.Lookup(name).Value.(interface{ IsBoolFlag() bool }); ok && b.IsBoolFlag() {
		switch strings.ToLower(value) {
		case "on", "yes":
			return "true"
		case "off", "no":
			return "false"
		}
	}
	return value
}

const configIntro = `
saltsql config takes what saltsql serve takes, and prints each setting with its value and
where that came from: a flag, the environment, the file of --config, or the default. What
serve would refuse it refuses.

Example:
  saltsql config --config /etc/saltsql.conf`

func showConfig(_ context.Context, args []string, stdout, stderr io.Writer) error {
	c := serveConfig{}
	fs := serveFlags(&c, stdout)
	usage := fs.Usage
	fs.Usage = func() {
		fmt.Fprintf(stdout, "%s\n\n", strings.TrimSpace(configIntro))
		usage()
	}
	_, sources, err := parse(fs, args, stderr)
	if err == nil {
		err = c.check()
	}
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(stdout, 0, 0, 2, ' ', 0)
	fs.VisitAll(func(f *flag.Flag) {
		source := sources[f.Name]
		if source == "" {
			source = "default"
		}
		fmt.Fprintf(w, "%s\t= %s\t# %s\n", f.Name, f.Value, source)
	})
	return w.Flush()
}
