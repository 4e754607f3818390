package pgtest

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/saltsql/saltsql/internal/childproc"
)

// Start gives the connection string of a fresh PostgreSQL that ends with t.
func Start(t testing.TB) (dsn string) {
	t.Helper()
	dsn, why := TryStart(t)
	if why != "" {
		t.Skip(why)
	}
	return dsn
}

// TryStart is Start for tests that do something without it too: why says why
// there is none.
func TryStart(t testing.TB) (dsn, why string) {
	t.Helper()
	return start(t, nil)
}

// StartDurable is Start for a server that syncs its log at each commit, for what compares
// the speed of writes. No statement of it is canceled.
func StartDurable(t testing.TB) (dsn string) {
	t.Helper()
	dsn, why := start(t, nil, "-c", "fsync=on", "-c", "statement_timeout=0")
	if why != "" {
		t.Skip(why)
	}
	return dsn
}

// StartTLS is Start for a server that has a certificate and its key, both PEM, and takes
// TLS connections beside others. hba is its pg_hba.conf.
func StartTLS(t testing.TB, cert, key []byte, hba string) (dsn string) {
	t.Helper()
	dsn, why := start(t, map[string][]byte{"server.crt": cert, "server.key": key, "pg_hba.conf": []byte(hba)}, "-c", "ssl=on")
	if why != "" {
		t.Skip(why)
	}
	return dsn
}

// start runs a server whose data folder holds files too.
func start(t testing.TB, files map[string][]byte, args ...string) (dsn, why string) {
	t.Helper()
	bin, err := binDir()
	if err != nil {
		if os.Getenv("SALTSQL_REQUIRE_POSTGRES") != "" {
			t.Fatal(err)
		}
		return "", err.Error()
	}
	if err := childproc.Watch(); err != nil {
		t.Fatal(err)
	}
	dir, err := os.MkdirTemp("", "pg-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	as, err := unprivileged(dir)
	if err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(dir, "data")
	model, err := cluster()
	if err == nil {
		err = copyCluster(model, data)
	}
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		path := filepath.Join(data, name)
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if as != nil {
			if err := os.Chown(path, int(as.Uid), int(as.Gid)); err != nil {
				t.Fatal(err)
			}
		}
	}
	port := freePort(t)
	server := childproc.Command(filepath.Join(bin, "postgres"), append([]string{"-D", data, "-p", strconv.Itoa(port), "-k", dir,
		"-c", "listen_addresses=127.0.0.1", "-c", "fsync=off", "-c", "timezone=UTC", "-c", "log_min_messages=fatal",
		"-c", "statement_timeout=60s", "-c", "autovacuum=off"}, args...)...)
	server.SysProcAttr.Credential = as
	server.Dir = dir
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = server.Process.Signal(syscall.SIGINT) // fast shutdown
		_ = server.Wait()
	})
	dsn = fmt.Sprintf("host=127.0.0.1 port=%d user=postgres dbname=postgres sslmode=disable", port)
	if err := wait(dsn); err != nil {
		t.Fatal(err)
	}
	return dsn, ""
}

// copyCluster makes the data folder of a server. The templates of databases, two thirds of its files,
// are the model's own: no test changes them, and without autovacuum nothing else does.
func copyCluster(model, data string) error {
	if err := run(nil, "cp", "-a", model, data); err != nil {
		return err
	}
	apart, err := filepath.Glob(filepath.Join(templatesOf(model), "*"))
	for _, of := range apart {
		if err == nil {
			err = os.Symlink(of, filepath.Join(data, "base", filepath.Base(of)))
		}
	}
	return err
}

// templatesOf is where the folders of the templates are that a model is without.
func templatesOf(model string) string { return filepath.Join(filepath.Dir(model), "templates") }

// setApart moves the folders of a new cluster's templates: all but the last made, which is that of the
// database postgres.
func setApart(model string) error {
	err := os.Mkdir(templatesOf(model), 0o755)
	if err != nil {
		return err
	}
	folders, err := os.ReadDir(filepath.Join(model, "base"))
	if err != nil {
		return err
	}
	slices.SortFunc(folders, func(a, b os.DirEntry) int {
		return cmp.Or(len(a.Name())-len(b.Name()), strings.Compare(a.Name(), b.Name())) // they are numbers
	})
	for _, f := range folders[:len(folders)-1] {
		if err := os.Rename(filepath.Join(model, "base", f.Name()), filepath.Join(templatesOf(model), f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// cluster makes the data folder that every server of this process starts with a copy of, and beside it
// the templates: initdb takes four times as long as to copy it. It goes with the process, as all of
// its temporary files.
var cluster = sync.OnceValues(func() (string, error) {
	bin, err := binDir()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "initdb-")
	if err != nil {
		return "", err
	}
	as, err := unprivileged(dir)
	if err != nil {
		return "", err
	}
	data := filepath.Join(dir, "data")
	err = run(as, filepath.Join(bin, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "--locale=C", "-E", "UTF8", "-N")
	if err == nil {
		err = setApart(data)
	}
	return data, err
})

// BinDir is where the newest PostgreSQL server's programs are; "" if none is
// installed.
func BinDir() string {
	dir, _ := binDir()
	return dir
}

func binDir() (string, error) {
	dirs, _ := filepath.Glob("/usr/lib/postgresql/*/bin")
	sort.Slice(dirs, func(i, j int) bool { return version(dirs[i]) > version(dirs[j]) })
	for _, d := range dirs {
		if _, err := os.Stat(filepath.Join(d, "initdb")); err == nil {
			return d, nil
		}
	}
	if path, err := exec.LookPath("initdb"); err == nil {
		return filepath.Dir(path), nil
	}
	return "", fmt.Errorf("PostgreSQL's server programs (initdb, postgres) are not installed")
}

func version(bin string) int {
	n, _ := strconv.Atoi(filepath.Base(filepath.Dir(bin)))
	return n
}

// unprivileged lets the server run as another user where the test is root,
// which PostgreSQL refuses to be; nil is who the test is.
func unprivileged(dir string) (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	for _, name := range []string{"postgres", "nobody"} {
		u, err := user.Lookup(name)
		if err != nil {
			continue
		}
		uid, _ := strconv.Atoi(u.Uid)
		gid, _ := strconv.Atoi(u.Gid)
		return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, os.Chown(dir, uid, gid)
	}
	return nil, fmt.Errorf("there is no user to run PostgreSQL as")
}

func run(as *syscall.Credential, name string, args ...string) error {
	cmd := childproc.Command(name, args...)
	cmd.SysProcAttr.Credential = as
	cmd.Dir = filepath.Dir(args[1])
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

func freePort(t testing.TB) int {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer ln.Close()
	return ln.Addr().(*net.TCPAddr).Port
}

func wait(dsn string) error {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for {
		c, err := pgconn.Connect(ctx, dsn)
		if err == nil {
			return c.Close(ctx)
		}
		if ctx.Err() != nil {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
}
