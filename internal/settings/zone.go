package settings

import (
	"time"

	"github.com/saltsql/saltsql/internal/types/datetime"
)

// LoadZone finds the zone of a value of TimeZone that was valid when it was set.
func LoadZone(value string) *time.Location {
	loc, _, err := datetime.SettingZone(value)
	if err != nil {
		return time.UTC
	}
	return loc
}
