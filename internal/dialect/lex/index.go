package lex

// indexStep is how many bytes lie between two marks of an Index.
const indexStep = 256

// Index turns byte offsets of one text into 1-based character positions, in
// constant time. A nil Index of a short text counts from its start.
type Index struct {
	marks []int32 // marks[k]: characters that begin before byte k*indexStep
}

// NewIndex reads text once; nil where it is so short that counting is as fast.
func NewIndex(text string) *Index {
	if len(text) <= 4*indexStep {
		return nil
	}
	x := &Index{marks: make([]int32, 0, len(text)/indexStep+1)}
	chars := 0
	for at := 0; at < len(text); at += indexStep {
		x.marks = append(x.marks, int32(chars))
		chars += charsIn(text[at:min(at+indexStep, len(text))])
	}
	return x
}

// Position is the function Position for the text of x.
func (x *Index) Position(text string, offset int) int {
	if x == nil {
		return Position(text, offset)
	}
	offset = min(offset, len(text))
	k := min(offset/indexStep, len(x.marks)-1)
	return int(x.marks[k]) + charsIn(text[k*indexStep:offset]) + 1
}

// charsIn counts the characters that begin in a piece of valid UTF-8.
func charsIn(s string) int {
	n := 0
	for i := range len(s) {
		if s[i]&0xC0 != 0x80 {
			n++
		}
	}
	return n
}
