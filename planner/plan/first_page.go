package plan

// pageMargin is how many rows over its fair share each bucket's first page has. Buckets win
// a merge unevenly: with a hash the spread of shares is about their square root.
const pageMargin = 3

// FirstPage is how many rows each of n buckets is asked for first when a merge needs
// limit rows in all; a bucket that keeps winning is asked for more. An embedded store, where
// another page costs no call, may be asked for fewer, and any for one entry of an index of
// which few are wanted.
func FirstPage(limit int64, n int) int64 {
	if n <= 1 || limit <= pageMargin {
		return limit
	}
	share := (limit + int64(n) - 1) / int64(n)
	return min(limit, share+pageMargin)
}
