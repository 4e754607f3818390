package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/saltsql/saltsql/conformance/hotspot"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: plot FOLDER")
	}
	rs, err := hotspot.RunAll()
	if err != nil {
		return err
	}
	page := filepath.Join(args[0], "salting.md")
	text, err := os.ReadFile(page)
	if err != nil {
		return err
	}
	out, err := hotspot.Page(string(text), rs)
	if err != nil {
		return err
	}
	if err := os.WriteFile(page, []byte(out), 0o644); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(args[0], "salting.svg"), []byte(hotspot.SVG(rs)), 0o644)
}
