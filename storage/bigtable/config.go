package bigtable

import (
	"fmt"
	"net/url"
	"os"
	"strings"
	"time"

	"google.golang.org/api/option"

	"github.com/saltsql/saltsql/storage"
)

// Config says which instance to open and how to talk to it.
type Config struct {
	Project  string
	Instance string
	// AppProfile "" is the instance's default. Conditional writes need a
	// profile with single-cluster routing that allows single-row transactions.
	AppProfile string
	// Emulator is the address of an emulator; "" takes $BIGTABLE_EMULATOR_HOST,
	// and the service where that is empty too.
	Emulator string

	// Timeout bounds each request with retries; 0 means 60 s. A scan may take
	// longer: it ends when no row has come for IdleTimeout, 0 means twice Timeout.
	Timeout, IdleTimeout time.Duration
	// AdminTimeout bounds each change of a table; 0 means five times Timeout.
	AdminTimeout time.Duration
	// Parallel is how many requests one MultiGet or Mutate has under way;
	// 0 means 8.
	Parallel int
	// ClientOptions are for the connections: credentials, endpoint, how many there are and the like.
	// An emulator ignores them.
	ClientOptions []option.ClientOption
}

const emulatorEnv = "BIGTABLE_EMULATOR_HOST"

func (c Config) withDefaults() Config {
	if c.Emulator == "" {
		c.Emulator = os.Getenv(emulatorEnv)
	}
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&c.Timeout, time.Minute)
	def(&c.IdleTimeout, 2*c.Timeout)
	def(&c.AdminTimeout, 5*c.Timeout)
	if c.Parallel <= 0 {
		c.Parallel = 8
	}
	return c
}

// ParseURL reads bigtable://PROJECT/INSTANCE[?app_profile=NAME&timeout=30s].
// timeout is Config.Timeout as time.ParseDuration reads it, at least 100 ms.
func ParseURL(s string) (Config, error) {
	bad := func(format string, args ...any) (Config, error) {
		e := storage.Errorf(storage.CodeInvalidArgument, storage.OpOpen, "", "store URL %q: %s", s, fmt.Sprintf(format, args...))
		e.Hint = "Write bigtable://PROJECT/INSTANCE, with ?app_profile=NAME or ?timeout=30s where they are needed."
		return Config{}, e
	}
	u, err := url.Parse(s)
	if err != nil {
		return bad("%v", err)
	}
	switch instance := strings.Trim(u.Path, "/"); {
	case u.Scheme != "bigtable":
		return bad("scheme is not bigtable")
	case u.Host == "" || u.User != nil || u.Port() != "":
		return bad("no project")
	case instance == "" || strings.Contains(instance, "/"):
		return bad("no instance")
	case u.Fragment != "":
		return bad("fragment %q is not expected", u.Fragment)
	default:
		c := Config{Project: u.Host, Instance: instance}
		q, err := url.ParseQuery(u.RawQuery)
		if err != nil {
			return bad("%v", err)
		}
		for name, values := range q {
			if len(values) != 1 || values[0] == "" {
				return bad("parameter %q needs one value", name)
			}
			switch name {
			case "app_profile":
				c.AppProfile = values[0]
			case "timeout":
				if c.Timeout, err = time.ParseDuration(values[0]); err != nil || c.Timeout < 100*time.Millisecond {
					return bad("timeout %q is not a duration of 100ms or more", values[0])
				}
			default:
				return bad("parameter %q is neither app_profile nor timeout", name)
			}
		}
		return c, nil
	}
}
