package bigtable

import (
	"testing"

	"github.com/saltsql/saltsql/storage"
)

func TestParseURL(t *testing.T) {
	tests := []struct {
		url                        string
		project, instance, profile string // "" project: an error
	}{
		{"bigtable://my-project/my-instance", "my-project", "my-instance", ""},
		{"bigtable://p/i/", "p", "i", ""},
		{"bigtable://p/i?app_profile=batch", "p", "i", "batch"},
		{"bigtable://p/i?app_profile=batch&timeout=5s", "p", "i", "batch"},
		{"bigtable://p/i?timeout=5", "", "", ""},
		{"bigtable://p/i?timeout=1ms", "", "", ""},
		{"bigtable://p", "", "", ""},
		{"bigtable://p/", "", "", ""},
		{"bigtable:///i", "", "", ""},
		{"bigtable://p/i/t", "", "", ""},
		{"bigtable://p:80/i", "", "", ""},
		{"bigtable://u@p/i", "", "", ""},
		{"bigtable://p/i?app_profile=", "", "", ""},
		{"bigtable://p/i?app_profile=a&app_profile=b", "", "", ""},
		{"bigtable://p/i?profile=a", "", "", ""},
		{"bigtable://p/i?a;b", "", "", ""},
		{"bigtable://p/i#x", "", "", ""},
		{"pebble:dir", "", "", ""},
		{"", "", "", ""},
	}
	for _, tt := range tests {
		c, err := ParseURL(tt.url)
		if tt.project == "" {
			if storage.CodeOf(err) != storage.CodeInvalidArgument {
				t.Errorf("%s: %+v, %v", tt.url, c, err)
			}
		} else if err != nil || c.Project != tt.project || c.Instance != tt.instance || c.AppProfile != tt.profile {
			t.Errorf("%s: %+v, %v", tt.url, c, err)
		}
	}
}
