package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/saltsql/saltsql/wire"
)

const verifierIntro = `
saltsql verifier NAME reads a password from standard input and prints a line for
--auth-file. The line does not let anyone log in, but keep it private: it lets a
password be guessed.`

func verifier(args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if len(args) != 1 || strings.HasPrefix(args[0], "-") || strings.Contains(args[0], ":") {
		fmt.Fprintln(stderr, strings.TrimSpace(verifierIntro))
		if len(args) == 1 && slices.Contains([]string{"-h", "-help", "--help"}, args[0]) {
			return flag.ErrHelp
		}
		return errUsage
	}
	line, err := bufio.NewReader(stdin).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	v, err := wire.NewVerifier(strings.TrimRight(line, "\r\n"), wire.DefaultIterations)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(stdout, "%s:%s\n", args[0], v)
	return err
}
