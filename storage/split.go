package storage

// SplitTablets is Table.Split of a store that cuts at its tablets: neighbours are joined
// where they are more than most.
func SplitTablets(span Span, tablets []Tablet, most int) []Span {
	each := max((len(tablets)+most-1)/most, 1)
	pieces := []Span{span}
	for i := each; i < len(tablets); i += each {
		start := tablets[i].Span.Start
		pieces[len(pieces)-1].End = start
		pieces = append(pieces, Span{Start: start, End: span.End})
	}
	return pieces
}
