package settings

import (
	"strings"
)

// BeginsWith are the settings that a session begins with, and goes back to by RESET: as in
// PostgreSQL the server's, over them what ALTER ROLE … SET says, over that what the client
// asked for. Names are those of the definitions; the maps never change.
type BeginsWith struct {
	server map[string]string // all sessions of a server share it
	role   map[string]string
	client map[string]string
}

// The sources of a setting that a session began with, as pg_settings has them.
const (
	FromServer = "configuration file"
	FromRole   = "user"
	FromClient = "client"
)

// CheckDefaults gives values as sessions keep them, or says of one why it cannot be.
func CheckDefaults(values map[string]string) (map[string]string, error) {
	all := fullNames(values)
	for name, value := range all {
		switch def := Find(name); {
		case def == nil && !IsCustom(name):
			return nil, Unknown(name)
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
		if def := Find(name); def != nil {
			name = def.Name
		}
		all[name] = value
	}
	return all
}

// Begin gives what a session begins with by the server's defaults, as CheckDefaults has them, what
// its role says, nil where there is none, and what the client asks for.
func Begin(server, role, client map[string]string) BeginsWith {
	b := BeginsWith{server: server}
	if len(role) > 0 {
		b.role = fullNames(role)
	}
	if len(client) > 0 {
		b.client = fullNames(client)
	}
	return b
}

// Of gives a parameter's value and where it is from; ok is false where nobody named it.
func (b *BeginsWith) Of(name string) (value, from string, ok bool) {
	if v, ok := b.client[name]; ok {
		return v, FromClient, true
	}
	if v, ok := b.role[name]; ok {
		return v, FromRole, true
	}
	v, ok := b.server[name]
	return v, FromServer, ok
}

// Each visits the settings, of each name the one that holds.
func (b *BeginsWith) Each(visit func(name, value string) error) error {
	for _, layer := range []struct {
		from   string
		values map[string]string
	}{{FromServer, b.server}, {FromRole, b.role}, {FromClient, b.client}} {
		for name, value := range layer.values {
			if _, from, _ := b.Of(name); from != layer.from {
				continue
			}
			if err := visit(name, value); err != nil {
				return err
			}
		}
	}
	return nil
}

// IsCustom says that a name which is not defined may be set all the same, as in PostgreSQL.
func IsCustom(key string) bool {
	return strings.Contains(key, ".") && !strings.HasPrefix(key, "saltsql.")
}
