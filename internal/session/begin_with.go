package session

import (
	"github.com/saltsql/saltsql/catalog"
	"github.com/saltsql/saltsql/internal/settings"
	"github.com/saltsql/saltsql/internal/sqlerr"
)

// beginsWith are the settings that a session begins with, and goes back to by RESET: as in
// PostgreSQL the server's, over them what ALTER ROLE … SET says, over that what the client
// asked for. Names are those of the definitions; the maps never change.
type beginsWith struct {
	server map[string]string // all sessions of a server share it
	role   map[string]string
	client map[string]string
}

// The sources of a setting that a session began with, as pg_settings has them.
const (
	fromServer = "configuration file"
	fromRole   = "user"
	fromClient = "client"
)

// SetDefaults replaces Options.Settings for sessions to come; those that are there keep what
// they have.
func (db *DB) SetDefaults(values map[string]string) error {
	checked, err := checkDefaults(values)
	if err == nil {
		db.defaults.Store(&checked)
	}
	return err
}

// checkDefaults gives values as sessions keep them, or says of one why it cannot be.
func checkDefaults(values map[string]string) (map[string]string, error) {
	all := fullNames(values)
	for name, value := range all {
		switch def := settings.Find(name); {
		case def == nil && !isCustom(name):
			return nil, sqlerr.New(sqlerr.UndefinedObject, "unrecognized configuration parameter %q", name)
		case def == nil:
		case def.ReadOnly:
			return nil, def.Refused()
		case def.Check != nil:
			v, err := def.Check(name, value)
			if err != nil {
				return nil, err
			}
			all[name] = v
		}
	}
	return all, nil
}

// fullNames gives settings by the names of their definitions.
func fullNames(values map[string]string) map[string]string {
	all := make(map[string]string, len(values))
	for name, value := range values {
		if def := settings.Find(name); def != nil {
			name = def.Name
		}
		all[name] = value
	}
	return all
}

// beginWith gives what a session of role, nil where there is none, begins with.
func (db *DB) beginWith(role *catalog.Role, client map[string]string) beginsWith {
	b := beginsWith{server: *db.defaults.Load()}
	if role != nil && len(role.Settings) > 0 {
		b.role = make(map[string]string, len(role.Settings))
		for _, x := range role.Settings {
			b.role[x.Name] = x.Value
		}
		b.role = fullNames(b.role)
	}
	if len(client) > 0 {
		b.client = fullNames(client)
	}
	return b
}

// of gives a parameter's value and where it is from; ok is false where nobody named it.
func (b *beginsWith) of(name string) (value, from string, ok bool) {
	if v, ok := b.client[name]; ok {
		return v, fromClient, true
	}
	if v, ok := b.role[name]; ok {
		return v, fromRole, true
	}
	v, ok := b.server[name]
	return v, fromServer, ok
}

// each visits the settings, of each name the one that holds.
func (b *beginsWith) each(visit func(name, value string) error) error {
	for _, layer := range []struct {
		from   string
		values map[string]string
	}{{fromServer, b.server}, {fromRole, b.role}, {fromClient, b.client}} {
		for name, value := range layer.values {
			if _, from, _ := b.of(name); from != layer.from {
				continue
			}
			if err := visit(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}
