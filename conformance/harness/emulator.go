package harness

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"cloud.google.com/go/bigtable/bttest"
	"google.golang.org/grpc"

	"github.com/saltsql/saltsql/internal/childproc"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
)

// emulatorProcess in the environment makes this program an emulator, for tests
// that kill it or count only the server's memory.
const emulatorProcess = "SALTSQL_TEST_EMULATOR"

func runEmulator() {
	srv, err := bttest.NewServer("127.0.0.1:0", grpc.MaxRecvMsgSize(emulator.MaxMessageBytes), grpc.MaxSendMsgSize(emulator.MaxMessageBytes))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Println(srv.Addr)
	_, _ = io.Copy(io.Discard, os.Stdin) // until whoever started it is gone
}

// StartEmulator runs an emulator in a process of its own, which programs
// started later find by the environment.
func StartEmulator(t *testing.T) *os.Process {
	t.Helper()
	cmd := childproc.Command(os.Args[0])
	cmd.Env = append(os.Environ(), emulatorProcess+"=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close()
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	addr, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("BIGTABLE_EMULATOR_HOST", strings.TrimSpace(addr))
	return cmd.Process
}
