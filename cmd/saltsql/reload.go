package main

import (
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/wire"
)

// shown are the run-time parameters that this says beside those that wire knows.
func (c serveConfig) shown() map[string]string {
	m := map[string]string{
		"config_file": c.values[configFlag], "hba_file": c.hbaFile,
		"ssl_cert_file": c.tlsCert, "ssl_key_file": c.tlsKey, "ssl_ca_file": c.tlsCA,
	}
	if dir, err := folderOf(c.store); err == nil {
		m["data_directory"] = dir
	}
	return m
}

// reloaded are the settings that SIGHUP changes, beside the parameters that sessions begin with.
var reloaded = map[string]bool{
	configFlag: true, "auth-file": true, "auth-timeout": true, "hba-file": true, "tls-ca": true, "tls-cert": true, "tls-key": true, "log-level": true,
}

// reload reads the configuration file again, and with it the log level, the users, the rules, the
// certificate, and what sessions begin with. Where that fails the server goes on with what it has.
func (c serveConfig) reload(db *saltsql.DB, srv *wire.Server, log *slog.Logger) {
	now, err := parseServe(c.args, io.Discard, io.Discard)
	if c.args == nil { // of the demo, which has no flags of serve
		now, err = c, nil
	}
	var creds credentials
	if err == nil {
		creds, err = readCredentials(now)
	}
	if err == nil {
		err = srv.Reload(creds.users, creds.cert)
	}
	if err == nil {
		err = srv.ReloadRules(creds.rules)
	}
	if err == nil {
		shown := now.shown()
		shown["data_directory"] = c.shown()["data_directory"] // until it starts again
		srv.ReloadParameters(now.authTimeout, shown)
	}
	if err == nil && c.level != nil {
		err = now.setLevel(c.level)
	}
	if err == nil {
		err = session.Behind(db).SetDefaults(now.parameters)
	}
	if err != nil {
		log.Error("users and certificate are not reloaded", "error", err)
		return
	}
	log.Info("users and certificate are reloaded", "auth", c.auth, "tls", creds.cert != nil, "log_level", now.logLevel)
	var late []string
	for name, value := range now.values {
		def := settings.Find(strings.ReplaceAll(name, "-", "_"))
		if value != c.values[name] && !reloaded[name] && (def == nil || def.Context != "") {
			late = append(late, name)
		}
	}
	if slices.Sort(late); len(late) > 0 {
		log.Warn("settings have changed that hold from the next start on", "settings", late)
	}
}

func (c serveConfig) setLevel(v *slog.LevelVar) error {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.logLevel)); err != nil {
		return fmt.Errorf("--log-level %q is not one of debug, info, warn, error", c.logLevel)
	}
	v.Set(level)
	return nil
}
