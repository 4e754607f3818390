package copyfmt

// Lines says where in the data the rows of a batch stand: what an error that the table has with
// one of them tells, after the reader went on.
//
//	ends   2        6
//	texts  1,x      2,"y…      at most maxShown bytes of each, and one that says it is longer
type Lines struct {
	First int64 // of the first row; the others follow it, one line each
	texts []byte
	ends  []int // of the rows' texts; none where the data is no text
}

// add takes what an error shows of the next row's line.
func (l *Lines) add(line []byte) {
	l.texts = append(l.texts, line[:min(len(line), maxShown+1)]...)
	l.ends = append(l.ends, len(l.texts))
}

// cut leaves the first n rows.
func (l *Lines) cut(n int) {
	if n >= len(l.ends) {
		return
	}
	at := 0
	if n > 0 {
		at = l.ends[n-1]
	}
	l.texts, l.ends = l.texts[:at], l.ends[:n]
}

// Line is the WHERE of an error about the row of a line as a whole.
func (l *Lines) Line(table string, line int64) string {
	i := int(line - l.First)
	if i >= len(l.ends) {
		return LineContext(table, line)
	}
	at := 0
	if i > 0 {
		at = l.ends[i-1]
	}
	return lineText(table, line, l.texts[at:l.ends[i]])
}
