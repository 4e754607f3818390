package session

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// Setting gives a run-time parameter's value; ok is false if there is none.
func (s *Session) Setting(name string) (value string, ok bool) {
	key := strings.ToLower(name)
	switch key {
	case "session_authorization", "role", "is_superuser":
		return s.identitySetting(key)
	}
	if v, ok := s.values.Get(key); ok {
		return v, true
	}
	switch key {
	case "transaction_isolation":
		return s.tx.isolation(s), true
	case "transaction_read_only":
		return onOff(s.tx.readOnly(s)), true
	case "transaction_deferrable":
		return onOff(s.tx.deferrable(s)), true
	}
	if def := settings.Find(key); def != nil {
		if def.Context != "" {
			return s.ofServer(def)
		}
		return def.Default, true
	}
	return "", s.values.Known(key)
}

// ofServer gives a parameter of the session's server.
func (s *Session) ofServer(def *settings.Parameter) (value string, ok bool) {
	switch lease, refresh, shared := s.db.catalog.Times(); {
	case def.Name == settings.Lease:
		value, ok = strconv.FormatInt(lease.Milliseconds(), 10), shared
	case def.Name == settings.CatalogRefresh:
		value, ok = strconv.FormatInt(refresh.Milliseconds(), 10), shared
	case s.opts.Parameter == nil:
	default:
		value, ok = s.opts.Parameter(strings.ToLower(def.Name))
	}
	if def.Check != nil && ok {
		if shown, err := def.Check(def.Name, value); err == nil {
			value = shown // as SET would keep it
		}
	}
	return value, ok
}

// unknown says that a parameter is one of a server that the session has not.
func (s *Session) unknown(def *settings.Parameter) bool {
	if def.Context == "" {
		return false
	}
	_, ok := s.ofServer(def)
	return !ok
}

// visible lists the parameters that the session may see.
func (s *Session) visible() []*settings.Parameter {
	return slices.DeleteFunc(settings.All(), func(p *settings.Parameter) bool { return p.Acts || s.unknown(p) || s.maySee(p.Name) != nil })
}

// maySee says that a parameter is not one for the session's role to see: 42501.
func (s *Session) maySee(name string) error {
	def := settings.Find(name)
	if def == nil || !def.Secret || s.unknown(def) || s.identity().Superuser || s.snapshot().HasPrivsOf(s.identity().Current.ID, catalog.RoleReadSettings) {
		return nil
	}
	return sqlerr.New(sqlerr.InsufficientPrivilege, "must be superuser or have privileges of pg_read_all_settings to examine %q", def.Name)
}

func onOff(b bool) string {
	if b {
		return "on"
	}
	return "off"
}

// maySet says that a parameter is one for superusers, and the session's role is none: 42501.
func (s *Session) maySet(name string) error {
	if def := settings.Find(name); def != nil && def.Superuser && !s.identity().Superuser {
		return sqlerr.New(sqlerr.InsufficientPrivilege, "permission denied to set parameter %q", def.Name)
	}
	return nil
}

// set assigns a parameter; local lasts until the transaction ends.
func (s *Session) set(name, value string, local bool) error {
	if err := s.maySet(name); err != nil {
		return err
	}
	return s.assignChecked(name, value, local)
}

// assignChecked is set for who need not be asked whether it may.
func (s *Session) assignChecked(name, value string, local bool) error {
	key := strings.ToLower(name)
	if key == "role" || key == "session_authorization" {
		return s.setRole(key, value, local)
	}
	def := settings.Find(key)
	if def == nil || s.unknown(def) {
		if def == nil && settings.IsCustom(key) {
			s.values.Know(key)
			return s.assign(key, value, local)
		}
		return settings.Unknown(name)
	}
	if def.ReadOnly {
		return def.Refused()
	}
	switch {
	case def.Over != nil:
		now, _ := s.Setting(def.Name)
		v, err := def.Over(now, value)
		if err != nil {
			return err
		}
		value = v
	case def.Check != nil:
		v, err := def.Check(def.Name, value)
		if err != nil {
			return err
		}
		value = v
	}
	if key == "seed" {
		f, err := strconv.ParseFloat(value, 64)
		s.random.Seed(f)
		return err
	}
	if done, err := s.tx.setMode(s, key, value); done || err != nil {
		return err
	}
	if err := s.assign(key, value, local); err != nil {
		return err
	}
	s.changed(def)
	return nil
}

// assign keeps a value. A lone statement is a transaction to it. COPY FROM calls it on a
// goroutine of its own, where a default sets a parameter. 53200 where there is no memory for the
// value.
func (s *Session) assign(key, value string, local bool) error {
	if err := s.parameters.MustToOf(&s.held, s.values.Bytes()+settings.Bytes(key, value)); err != nil {
		return err
	}
	s.mu.Lock()
	running := s.running != nil
	s.mu.Unlock()
	if running && !s.values.InTransaction() {
		s.values.Begin()
	}
	if local {
		s.values.SetLocal(key, value)
	} else {
		s.values.Set(key, value)
	}
	return nil
}

// endSettings ends the transaction of the settings, and tells the client what it brings back.
func (s *Session) endSettings(committed bool) {
	if !s.values.InTransaction() {
		return
	}
	was := s.values.Mark()
	s.values.End(committed)
	_ = s.parameters.MustToOf(&s.held, s.values.Bytes()) // less, or what was booked
	s.reportChanges(was)
}

// reportChanges tells the client of parameters that differ from before.
func (s *Session) reportChanges(was settings.Mark) {
	now := s.values.Mark()
	if now.Same(was) {
		return
	}
	s.applySettings()
	if s.opts.ParameterStatus == nil {
		return
	}
	if valueOf(was, "role") != valueOf(now, "role") || valueOf(was, "session_authorization") != valueOf(now, "session_authorization") {
		s.opts.ParameterStatus("is_superuser", onOff(s.identity().Superuser))
	}
	for _, def := range settings.Reported {
		key := strings.ToLower(def.Name)
		is, set := s.values.Get(key)
		if before, had := was.Get(key); is != before || set != had {
			v, _ := s.Setting(key)
			s.opts.ParameterStatus(def.Name, v)
		}
	}
}

// reset puts a parameter back to its default; local lasts until the transaction ends.
func (s *Session) reset(name string, local bool) error {
	if err := s.maySet(name); err != nil {
		return err
	}
	return s.putBack(name, local)
}

// putBack is reset for who need not be asked whether it may: RESET ALL resets everything.
func (s *Session) putBack(name string, local bool) error {
	key := strings.ToLower(name)
	def := settings.Find(key)
	switch {
	case key == "role":
		return s.setRole(key, "none", local)
	case key == "session_authorization":
		return s.setRole(key, s.identity().Login.Name, local)
	case def != nil && def.Context != "" && !s.unknown(def):
		return def.Refused()
	case def != nil && def.Context == "" && (def.ReadOnly || def.Acts):
		return nil
	case def != nil && def.Context == "":
		return s.assignChecked(name, s.resetValue(def), local)
	case settings.IsCustom(key):
		s.values.Know(key)
		return s.assign(key, "", local)
	}
	return settings.Unknown(name)
}

// resetValue is what RESET gives a parameter.
func (s *Session) resetValue(def *settings.Parameter) string {
	if v, _, ok := s.first.Of(def.Name); ok {
		return v
	}
	if def.Name == "application_name" {
		return s.opts.ApplicationName
	}
	return def.Default
}

// resetAll is RESET ALL.
func (s *Session) resetAll() error {
	for _, key := range slices.Sorted(s.values.Names()) {
		if key == "role" || key == "session_authorization" {
			continue
		}
		if err := s.putBack(key, false); err != nil {
			return err
		}
	}
	return nil
}

func (s *Session) changed(def *settings.Parameter) {
	s.applySettings()
	if def != nil && def.Report && s.opts.ParameterStatus != nil {
		v, _ := s.Setting(def.Name)
		s.opts.ParameterStatus(def.Name, v)
	}
}

// applySettings derives what statements use from the settings' texts, which
// are valid by now.
func (s *Session) applySettings() {
	s.generation++
	tz, _ := s.Setting("timezone")
	s.io.TimeZone = settings.LoadZone(tz)
	digits, _ := s.Setting("extra_float_digits")
	n, _ := strconv.Atoi(digits)
	s.io.FewFloatDigits, s.io.ExtraFloatDigits = n <= 0, n
	esc, _ := s.Setting("bytea_output")
	s.io.ByteaEscape = esc == "escape"
	dates, _ := s.Setting("datestyle")
	spans, _ := s.Setting("intervalstyle")
	s.io.Style = settings.StyleOf(dates, spans)
	s.noteName()
}

// SetDefaults replaces Options.Settings for sessions to come; those that are there keep what
// they have.
func (db *DB) SetDefaults(values map[string]string) error {
	checked, err := settings.CheckDefaults(values)
	if err == nil {
		db.defaults.Store(&checked)
	}
	return err
}

// OnReload names what has the server read its settings again, for pg_reload_conf. It must not
// wait for that.
func (db *DB) OnReload(reload func()) { db.reload.Store(&reload) }

// beginWith gives what a session of role, nil where there is none, begins with.
func (db *DB) beginWith(role *catalog.Role, client map[string]string) settings.BeginsWith {
	var own map[string]string
	if role != nil && len(role.Settings) > 0 {
		own = make(map[string]string, len(role.Settings))
		for _, x := range role.Settings {
			own[x.Name] = x.Value
		}
	}
	return settings.Begin(*db.defaults.Load(), own, client)
}

// ReportedSettings lists the parameters that clients are told of at start,
// with their values.
func (s *Session) ReportedSettings() map[string]string {
	m := map[string]string{}
	for _, def := range settings.Reported {
		m[def.Name], _ = s.Setting(def.Name)
	}
	return m
}

func (s *Session) durationSetting(name string) time.Duration {
	v, _ := s.Setting(name)
	d, _ := settings.ParseDuration(v)
	return d
}
