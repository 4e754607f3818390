package catalog

// Counts gives how many tables there are, and how many changes of them wait to begin, and are at
// work, on all servers.
func (s *Snapshot) Counts() (tables, planned, copying int) {
	for _, r := range s.Relations() {
		if _, ok := r.(*Table); ok {
			tables++
		}
	}
	count := func(begun bool) {
		if begun {
			copying++
		} else {
			planned++
		}
	}
	for _, t := range s.Reshaped() {
		if t.Rewrite != nil {
			count(t.Rewrite.State == RewriteCopying)
		}
		for i := range t.Indexes {
			if ix := &t.Indexes[i]; ix.Build != nil {
				count(ix.Kept())
			}
		}
	}
	return tables, planned, copying
}
