package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

func main() {
	dry := flag.Bool("n", false, "print the commands, and run none")
	flag.Parse()
	if err := run(*dry, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "quick:", err)
		os.Exit(1)
	}
}

func run(dry bool, args []string) error {
	if len(args) > 1 {
		return fmt.Errorf("usage: quick [-n] [commit]")
	}
	root, err := output("", "git", "rev-parse", "--show-toplevel")
	if err != nil {
		return err
	}
	root = strings.TrimSpace(root)
	since := ""
	if len(args) == 1 {
		since = args[0]
	}
	since, files, err := changes(root, since)
	if err != nil {
		return err
	}
	packages, err := list(root)
	if err != nil {
		return err
	}
	s, err := choose(root, files, packages)
	if err != nil {
		return err
	}
	fmt.Printf("%d files have changed since %.12s: %d packages, and %d that import them\n", len(files), since, len(s.changed), len(s.importers))
	for _, dir := range s.nested {
		fmt.Printf("not run: module %s has its own tests\n", dir)
	}
	began := time.Now()
	for _, step := range s.steps() {
		fmt.Printf("\n%s\n", step.title())
		if dry {
			fmt.Println(strings.Join(step.args, " "))
			continue
		}
		if err := step.run(root); err != nil {
			return err
		}
	}
	fmt.Printf("\ndone in %s\n", time.Since(began).Round(time.Second))
	return nil
}

// output runs a command in dir and gives what it prints.
func output(dir, name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w", name, strings.Join(args, " "), err)
	}
	return string(out), nil
}
