package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A manifest is the JSON of Manifest, and a last line with the SHA-256 of what stands before it:
//
//	{
//	  "format": 1,
//	  "made": "2026-11-22T13:05:01.250Z",
//	  …
//	  "files": [
//	    {"name": "000012.sst", "size": 4096, "modified": "2026-…", "sha256": "9f86d0…"}
//	  ]
//	}
//	sha256 60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752
const (
	manifestFormat = 1
	manifestSuffix = ".backup"
	manifestTime   = "20060102T150405.000Z"
	sumPrefix      = "sha256 "
)

// Manifest says what one backup is of.
type Manifest struct {
	Format int       `json:"format"`
	Made   time.Time `json:"made"` // when Make began
	About
	Files []File `json:"files"` // by name
}

// About is what the maker of a backup knows of the store.
type About struct {
	Version        string `json:"version"`         // of the program
	StoreFormat    uint64 `json:"store_format"`    // pebble.Store.Format
	CatalogVersion uint64 `json:"catalog_version"` // of the SQL catalog in it; 0: there is none
	Tables         int    `json:"tables"`          // of users
}

// File is one file of the store.
type File struct {
	Name     string    `json:"name"` // below the store's folder
	Size     int64     `json:"size"` // bytes
	Modified time.Time `json:"modified"`
	SHA256   string    `json:"sha256"` // hexadecimal; also its place in the backup's folder
}

// Bytes is the size of all files.
func (m *Manifest) Bytes() (n int64) {
	for _, f := range m.Files {
		n += f.Size
	}
	return n
}

// Name tells the manifest in its folder.
func (m *Manifest) Name() string { return m.Made.UTC().Format(manifestTime) }

func (m *Manifest) path(dir string) string { return filepath.Join(dir, m.Name()+manifestSuffix) }

func (f *File) path(dir string) string {
	return filepath.Join(dir, filesFolder, f.SHA256[:2], f.SHA256)
}

func (m *Manifest) encode() ([]byte, error) {
	b, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return nil, err
	}
	b = append(b, '\n')
	sum := sha256.Sum256(b)
	return fmt.Appendf(b, "%s%x\n", sumPrefix, sum), nil
}

func decode(b []byte) (*Manifest, error) {
	at := strings.LastIndex(string(b), "\n"+sumPrefix)
	if at < 0 {
		return nil, fmt.Errorf("it has no checksum")
	}
	body, want := b[:at+1], string(b[at+1:])
	if sum := sha256.Sum256(body); want != fmt.Sprintf("%s%x\n", sumPrefix, sum) {
		return nil, fmt.Errorf("its checksum does not hold")
	}
	m := &Manifest{}
	if err := json.Unmarshal(body, m); err != nil {
		return nil, err
	}
	if m.Format != manifestFormat {
		return nil, fmt.Errorf("it has format %d, and this version reads %d", m.Format, manifestFormat)
	}
	for _, f := range m.Files {
		if raw, err := hex.DecodeString(f.SHA256); err != nil || len(raw) != sha256.Size || !filepath.IsLocal(f.Name) {
			return nil, fmt.Errorf("its entry %q is malformed", f.Name)
		}
	}
	return m, nil
}

// Names lists the backups in dir, the oldest first.
func Names(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), manifestSuffix); ok {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names, nil
}

// Load reads a manifest; "" is the newest.
func Load(dir, name string) (*Manifest, error) {
	if name == "" {
		names, err := Names(dir)
		if err != nil {
			return nil, err
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("there is no backup in %s: %w", dir, os.ErrNotExist)
		}
		name = names[len(names)-1]
	}
	path := filepath.Join(dir, name+manifestSuffix)
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := decode(b)
	if err == nil && m.Name() != name {
		err = fmt.Errorf("it is the manifest of %s", m.Name())
	}
	if err != nil {
		return nil, &DamageError{Path: path, Err: err}
	}
	return m, nil
}

// DamageError says that a file of a backup is not what was written.
type DamageError struct {
	Path string
	Err  error
}

func (e *DamageError) Error() string { return e.Path + ": " + e.Err.Error() }
func (e *DamageError) Unwrap() error { return e.Err }
