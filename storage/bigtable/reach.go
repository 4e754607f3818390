package bigtable

import (
	"context"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"

	"github.com/saltsql/saltsql/storage"
)

// Reach is tried for reachTime, or until a connection has been refused for
// refusedTime.
const (
	reachTime   = 9 * time.Second
	refusedTime = 2 * time.Second
)

// Reach finds out within 10 s whether the service answers, whatever it says.
// If not, the error has its address, the cause and what to do.
func (s *Store) Reach(ctx context.Context) error {
	c, err := s.begin(ctx, storage.OpOpen, "", min(reachTime, s.config.Timeout))
	if err != nil {
		return err
	}
	defer c.end()
	for began := time.Now(); ; {
		var to peer.Peer // set where there was a connection
		err := s.ping(c, s.dataConns, grpc.Peer(&to))
		switch status.Code(err) {
		case codes.Unavailable, codes.DeadlineExceeded, codes.Canceled, codes.Unknown:
		default: // that there is no such instance is an answer too
			return nil
		}
		if c.caller.Err() != nil {
			return storage.CtxError(c.op, "", c.caller.Err())
		}
		if c.Err() == nil && (to.Addr != nil || time.Since(began) < refusedTime) && c.sleep(c, retryFirst*10) == nil {
			continue
		}
		return s.unreachable(err)
	}
}

func (s *Store) unreachable(cause error) error {
	where := "bigtable.googleapis.com:443"
	hint := "Look at the network, and at application default credentials (gcloud auth application-default login)."
	if s.config.Emulator != "" {
		where = s.config.Emulator
		hint = "Start the emulator, or unset " + emulatorEnv + " where the service is meant."
	}
	e := storage.Errorf(storage.CodeUnavailable, storage.OpOpen, "", "Bigtable instance %s/%s is not reached at %s: %s",
		s.config.Project, s.config.Instance, where, status.Convert(cause).Message())
	e.Cause, e.Hint = cause, hint
	return e
}
