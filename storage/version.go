package storage

// Version is the column of a row's version on stores with Caps.Optimistic: an empty cell whose
// timestamp is that of the last commit of the row. It is shown by ScanRequest.WithVersion. As the
// first mutation of a row in a Batch, a SetCell of it says that the row must not have been
// committed after its timestamp, 0 being never; a row with nothing else is not changed, and gets a
// new version.
var Version = Col{Family: "_saltsql.undo", Qualifier: []byte("v")}

// SeenVersion gives the version that a row in a Batch must not have been committed after: see Version.
func SeenVersion(muts []Mutation) (version int64, ok bool) {
	if len(muts) == 0 || muts[0].Op != SetCell || muts[0].Family != Version.Family || string(muts[0].Qualifier) != string(Version.Qualifier) {
		return 0, false
	}
	return muts[0].Timestamp, true
}
