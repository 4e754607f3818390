package pgcatalog

import (
	"io/fs"
	"os"
	"strings"
	"sync"
	"time"
)

// zoneFolders are where systems keep their time zones.
var zoneFolders = []string{"/usr/share/zoneinfo", "/usr/share/lib/zoneinfo", "/usr/lib/locale/TZ", "/etc/zoneinfo"}

// zoneNames lists the time zones of the system; without a list, UTC alone.
var zoneNames = sync.OnceValue(func() []string {
	for _, dir := range zoneFolders {
		var names []string
		_ = fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
			if err != nil || path == "posix" || path == "right" {
				return fs.SkipDir
			}
			c := path[0]
			if d.IsDir() || c < 'A' || c > 'Z' || strings.Contains(path, ".") || path == "Factory" {
				return nil
			}
			if _, err := time.LoadLocation(path); err == nil {
				names = append(names, path)
			}
			return nil
		})
		if len(names) > 0 {
			return names
		}
	}
	return []string{"UTC"}
})
