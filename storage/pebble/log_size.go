package pebble

import "github.com/cockroachdb/pebble/v2/vfs"

// logStep is by how many bytes a log grows at a time. A log that is written anew keeps its
// size, a new one would get a larger one with each commit, and each sync would have to
// write it to the file system's journal: a quarter of the time and of the processor time of
// a sync. So its size is set ahead of what is written. What is behind reads as zeros, at
// which a log ends; the mark (log_mark.go) tells whether that is its right end.
const logStep = 1 << 20

// sizeAhead makes room in a log for n bytes more. Where the file system cannot, the file
// grows as it is written.
func (f *guardFile) sizeAhead(n int) {
	end := f.written + int64(n)
	if f.kind != logFile || end <= f.size || f.File.Fd() == vfs.InvalidFd {
		return
	}
	if info, err := f.File.Stat(); err == nil {
		f.size = info.Size()
	}
	if end > f.size && grow(f.File.Fd(), f.size, end+logStep-f.size) == nil {
		f.size = end + logStep
	}
}
