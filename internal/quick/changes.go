package main

import (
	"os/exec"
	"slices"
	"strings"
)

// changes gives the files of the work tree at root that are not as in commit since, as paths from
// root with slashes, and the commit. No since is where HEAD left main, or HEAD without a main.
func changes(root, since string) (commit string, files []string, err error) {
	if since == "" {
		since = "HEAD"
		cmd := exec.Command("git", "merge-base", "main", "HEAD")
		cmd.Dir = root
		if out, err := cmd.Output(); err == nil {
			since = strings.TrimSpace(string(out))
		}
	}
	commit, err = output(root, "git", "rev-parse", "--verify", since+"^{commit}")
	if err != nil {
		return "", nil, err
	}
	commit = strings.TrimSpace(commit)
	for _, args := range [][]string{
		{"diff", "--name-only", "--no-renames", "-z", commit, "--"},
		{"ls-files", "--others", "--exclude-standard", "-z"},
	} {
		out, err := output(root, "git", args...)
		if err != nil {
			return "", nil, err
		}
		for name := range strings.SplitSeq(out, "\x00") {
			if name != "" {
				files = append(files, name)
			}
		}
	}
	slices.Sort(files)
	return commit, slices.Compact(files), nil
}
