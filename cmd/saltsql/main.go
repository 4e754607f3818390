package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	_ "time/tzdata" // time zones on machines that have none
)

const usage = `saltsql: Phoenix for Cloud Bigtable, spoken in Postgres.

Usage:
  saltsql demo  [--exit] [--listen ADDR]   load real data into a temporary store, query it, serve it
  saltsql serve [--store URL] [--listen ADDR] [--auth trust|scram] ...
  saltsql verifier NAME                    make a line for --auth-file from a password
  saltsql backup   [--store URL] [--keep N] DIR    add a backup to folder DIR, while the server runs
  saltsql restore  [--store URL] [--at NAME] DIR   make a store of a backup
  saltsql verify   DIR                     read all backups in a folder, and check the newest one's rows
  saltsql push     --from URL --to URL     copy all rows of one store to another
  saltsql export   DIR [TABLE…]            write tables as CSV or Parquet files
  saltsql import   DIR [TABLE…]            load them
  saltsql import-phoenix [--store URL]     attach the tables that Apache Phoenix's lifted catalog describes
  saltsql check    [--store URL]           read the catalog and all rows, and say what is wrong
  saltsql upgrade [--store pebble:DIR]     raise the format of an embedded store
  saltsql doctor   [--connect DSN]         ask a server what is odd
  saltsql heatmap  TABLE [--connect DSN]   draw what was read and written of a table, by buckets or keys
  saltsql config   [--config FILE] ...     print the settings of serve, and where each comes from
  saltsql version

Stores (--store, or SALTSQL_STORE):
  pebble:DIR                                      embedded, durable, in folder DIR   (default pebble:./saltsql-data)
  mem:                                            in memory, gone at exit
  bigtable://PROJECT/INSTANCE[?app_profile=NAME]  Cloud Bigtable; BIGTABLE_EMULATOR_HOST is honoured

Try:
  saltsql demo
  saltsql serve --store pebble:./data
  psql -h 127.0.0.1 -p 5433
      CREATE TABLE events (host VARCHAR, ts TIMESTAMP, msg VARCHAR,
        CONSTRAINT pk PRIMARY KEY (host, ts DESC)) SALT_BUCKETS = 8;
      UPSERT INTO events VALUES ('web-1', '2024-01-02 03:04:05', 'hello');
      EXPLAIN SELECT * FROM events WHERE host = 'web-1' ORDER BY host, ts DESC LIMIT 10;

Each command explains its flags: saltsql serve --help. Every flag can also be
set in the environment: --auth-file is SALTSQL_AUTH_FILE. Those of serve can
stand in a file too: see --config.
`

// errUsage ends the program with status 2: what was wrong is printed already.
var errUsage = errors.New("usage")

func main() {
	err := run(untilSignal(), os.Args[1:], os.Stdout, os.Stderr)
	if err != nil && !quiet(err) {
		fmt.Fprintln(os.Stderr, "saltsql:", describe(err))
	}
	os.Exit(status(err))
}

// quiet says that what was wrong is printed already.
func quiet(err error) bool {
	return errors.Is(err, flag.ErrHelp) || errors.Is(err, errUsage) || errors.Is(err, errFound)
}

// status gives the exit status of a command that ended with err.
func status(err error) int {
	var unable *couldNotError
	var setting settingError
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage), errors.As(err, &unable), errors.As(err, &setting):
		return 2
	}
	return 1
}

// untilSignal gives a context that ends with the first Ctrl-C or SIGTERM. The second ends
// the process: what was acknowledged is on disk.
func untilSignal() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		second := <-signals
		fmt.Fprintf(os.Stderr, "saltsql: ended at once, by a second signal (%v)\n", second)
		os.Exit(1)
	}()
	return ctx
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return errUsage
	}
	switch args[0] {
	case "serve":
		return serve(ctx, args[1:], stdout, stderr)
	case "demo":
		return demo(ctx, args[1:], stdout, stderr)
	case "verifier":
		return verifier(args[1:], os.Stdin, stdout, stderr)
	case "backup":
		return backupStore(ctx, args[1:], stdout, stderr)
	case "restore":
		return restore(ctx, args[1:], stdout, stderr)
	case "verify":
		return verify(ctx, args[1:], stdout, stderr)
	case "check":
		return check(ctx, args[1:], stdout, stderr)
	case "import-phoenix":
		return importPhoenix(ctx, args[1:], stdout, stderr)
	case "push":
		return pushStore(ctx, args[1:], stdout, stderr)
	case "export":
		return exportTables(ctx, args[1:], stdout, stderr)
	case "import":
		return importTables(ctx, args[1:], stdout, stderr)
	case "doctor":
		return doctor(ctx, args[1:], stdout, stderr)
	case "heatmap":
		return heatmap(ctx, args[1:], stdout, stderr)
	case "config":
		return showConfig(ctx, args[1:], stdout, stderr)
	case "upgrade":
		return upgrade(ctx, args[1:], stdout, stderr)
	case "version", "--version", "-v":
		fmt.Fprintln(stdout, version())
		return nil
	case "help", "--help", "-h":
		fmt.Fprint(stdout, usage)
		return nil
	}
	fmt.Fprintf(stderr, "saltsql: unknown command %q\n\n%s", args[0], usage)
	return errUsage
}
