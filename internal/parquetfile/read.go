package parquetfile

import (
	"encoding/hex"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"
)

// Reader prints the rows of a file as CSV that COPY … FROM reads: every value
// quoted, NULL without quotes.
type Reader struct {
	file  *parquet.File
	names []string
	cols  []source
}

// source is a column of a file.
type source struct {
	print func(dst []byte, v parquet.Value) ([]byte, error)
	list  bool
	// Definition levels of a list that is there, of an element's place, and of a
	// value that is not NULL.
	there, place, value int
}

// NewReader reads a file of size bytes, made by Writer or by another program.
// Columns must be scalars or lists of scalars; dates and timestamps come in the
// ISO style.
func NewReader(r io.ReaderAt, size int64) (*Reader, error) {
	f, err := parquet.OpenFile(r, size)
	if err != nil {
		return nil, err
	}
	p := &Reader{file: f}
	for _, c := range f.Root().Columns() {
		s, err := sourceOf(c)
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", c.Name(), err)
		}
		p.names, p.cols = append(p.names, c.Name()), append(p.cols, s)
	}
	return p, nil
}

// Columns are the names of the file's columns, in its order.
func (p *Reader) Columns() []string { return p.names }

func sourceOf(c *parquet.Column) (source, error) {
	s := source{value: c.MaxDefinitionLevel()}
	elem := c
	if !c.Leaf() {
		// A list is written in three levels, by old programs in two.
		kids := c.Columns()
		if len(kids) != 1 || !kids[0].Repeated() {
			return s, fmt.Errorf("a structure is not read; write its fields as columns, or as JSON text")
		}
		s.there = c.MaxDefinitionLevel()
		elem = kids[0]
		s.place = elem.MaxDefinitionLevel()
		if !elem.Leaf() {
			if kids = elem.Columns(); len(kids) != 1 {
				return s, fmt.Errorf("a list of structures is not read; write it as JSON text")
			}
			elem = kids[0]
		}
		s.list = true
	} else if c.Repeated() {
		s.list, s.place = true, c.MaxDefinitionLevel()
	}
	if !elem.Leaf() || elem.MaxRepetitionLevel() > 1 {
		return s, fmt.Errorf("a nested value is not read; write it as JSON text")
	}
	s.value = elem.MaxDefinitionLevel()
	var err error
	s.print, err = printer(elem.Type())
	return s, err
}

// WriteCSV prints all rows, without a header line.
func (p *Reader) WriteCSV(w io.Writer) error {
	var line []byte
	rows := 0
	page := make([]parquet.Row, 256)
	for _, g := range p.file.RowGroups() {
		in := g.Rows()
		for {
			n, err := in.ReadRows(page)
			line = line[:0]
			for _, row := range page[:n] {
				rows++
				var perr error
				if line, perr = p.appendRow(line, row); perr != nil {
					in.Close()
					return fmt.Errorf("row %d, %w", rows, perr)
				}
			}
			if _, werr := w.Write(line); werr != nil {
				in.Close()
				return werr
			}
			if err == io.EOF {
				break
			}
			if err != nil {
				in.Close()
				return err
			}
		}
		if err := in.Close(); err != nil {
			return err
		}
	}
	return nil
}

func separate(line []byte, i int) []byte {
	if i > 0 {
		line = append(line, ',')
	}
	return line
}

func appendQuoted(line []byte, text string) []byte {
	line = append(line, '"')
	line = append(line, strings.ReplaceAll(text, `"`, `""`)...)
	return append(line, '"')
}

func (p *Reader) appendRow(line []byte, row parquet.Row) ([]byte, error) {
	var text []byte
	for i := range p.cols {
		s := &p.cols[i]
		line = separate(line, i)
		n := 0
		for n < len(row) && row[n].Column() == i {
			n++
		}
		values := row[:n]
		row = row[n:]
		var err error
		switch {
		case n == 0:
			err = fmt.Errorf("the row has no value of it")
		case !s.list && values[0].IsNull(), s.list && values[0].DefinitionLevel() < s.there:
			continue
		case s.list:
			text, err = s.appendList(text[:0], values)
		default:
			text, err = s.print(text[:0], values[0])
		}
		if err != nil {
			return nil, fmt.Errorf("column %q: %w", p.names[i], err)
		}
		line = appendQuoted(line, string(text))
	}
	return append(line, '\n'), nil
}

// appendList prints an array as its type reads it.
func (s *source) appendList(text []byte, values []parquet.Value) ([]byte, error) {
	text = append(text, '{')
	var elem []byte
	for i, v := range values {
		if v.DefinitionLevel() < s.place {
			break // an empty list
		}
		text = separate(text, i)
		if v.DefinitionLevel() < s.value {
			text = append(text, "NULL"...)
			continue
		}
		var err error
		if elem, err = s.print(elem[:0], v); err != nil {
			return nil, err
		}
		text = append(text, '"')
		for _, c := range elem {
			if c == '"' || c == '\\' {
				text = append(text, '\\')
			}
			text = append(text, c)
		}
		text = append(text, '"')
	}
	return append(text, '}'), nil
}

type print = func(dst []byte, v parquet.Value) ([]byte, error)

// printer says how values of a leaf's type are printed.
func printer(t parquet.Type) (print, error) {
	if logical := t.LogicalType(); logical != nil {
		switch l := logical.Value.(type) {
		case *format.DecimalType:
			return decimalPrinter(int(l.Scale)), nil
		case *format.DateType:
			return printDate, nil
		case *format.TimeType:
			if per := perSecond(l.Unit); per > 0 {
				return timePrinter(per), nil
			}
			return nil, errType(t)
		case *format.TimestampType:
			if per := perSecond(l.Unit); per > 0 {
				return timestampPrinter(per, l.IsAdjustedToUTC), nil
			}
			return nil, errType(t)
		case *format.UUIDType:
			return func(dst []byte, v parquet.Value) ([]byte, error) { return hex.AppendEncode(dst, v.ByteArray()), nil }, nil
		case *format.StringType, *format.EnumType, *format.JsonType:
			return printText, nil
		case *format.IntType:
			if !l.IsSigned {
				return printUnsigned, nil
			}
		case *format.NullType:
		default:
			return nil, errType(t)
		}
	}
	switch t.Kind() {
	case parquet.Boolean:
		return func(dst []byte, v parquet.Value) ([]byte, error) { return strconv.AppendBool(dst, v.Boolean()), nil }, nil
	case parquet.Int32, parquet.Int64:
		return func(dst []byte, v parquet.Value) ([]byte, error) { return strconv.AppendInt(dst, integer(v), 10), nil }, nil
	case parquet.Float:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			return strconv.AppendFloat(dst, float64(v.Float()), 'g', -1, 32), nil
		}, nil
	case parquet.Double:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			return strconv.AppendFloat(dst, v.Double(), 'g', -1, 64), nil
		}, nil
	case parquet.Int96:
		return printInt96, nil
	case parquet.ByteArray, parquet.FixedLenByteArray:
		return func(dst []byte, v parquet.Value) ([]byte, error) {
			return hex.AppendEncode(append(dst, `\x`...), v.ByteArray()), nil
		}, nil
	}
	return nil, errType(t)
}

func errType(t parquet.Type) error {
	return fmt.Errorf("the type %s of Parquet is not read; write the column as text", t)
}

func printUnsigned(dst []byte, v parquet.Value) ([]byte, error) {
	if v.Kind() == parquet.Int32 {
		return strconv.AppendUint(dst, uint64(v.Uint32()), 10), nil
	}
	return strconv.AppendUint(dst, v.Uint64(), 10), nil
}

func printText(dst []byte, v parquet.Value) ([]byte, error) {
	return append(dst, v.ByteArray()...), nil
}

func integer(v parquet.Value) int64 {
	if v.Kind() == parquet.Int32 {
		return int64(v.Int32())
	}
	return v.Int64()
}

// perSecond is how many units are in a second; a file of a later format may name
// another one than these.
func perSecond(u format.TimeUnit) int64 {
	switch u.Value.(type) {
	case *format.MilliSeconds:
		return 1e3
	case *format.MicroSeconds:
		return 1e6
	case *format.NanoSeconds:
		return 1e9
	}
	return 0
}

func timePrinter(per int64) print {
	return func(dst []byte, v parquet.Value) ([]byte, error) {
		n := integer(v)
		s := n / per
		return appendFraction(fmt.Appendf(dst, "%02d:%02d:%02d", s/3600, s/60%60, s%60), n%per, per), nil
	}
}

// appendFraction prints part of a second that has per parts.
func appendFraction(dst []byte, part, per int64) []byte {
	if part == 0 {
		return dst
	}
	return append(append(dst, '.'), strconv.FormatInt(per+part, 10)[1:]...)
}

// appendTime prints a moment as PostgreSQL reads it, years before the first one as BC.
func appendTime(dst []byte, at time.Time, layout, zone string, part, per int64) ([]byte, error) {
	era := ""
	year := at.Year()
	if year < 1 {
		year, era = 1-year, " BC"
	}
	dst = append(fmt.Appendf(dst, "%04d", year), at.Format(layout)...)
	return append(append(appendFraction(dst, part, per), zone...), era...), nil
}

func printDate(dst []byte, v parquet.Value) ([]byte, error) {
	return appendTime(dst, time.Unix(int64(v.Int32())*86400, 0).UTC(), "-01-02", "", 0, 1)
}

func timestampPrinter(per int64, utc bool) print {
	zone := ""
	if utc {
		zone = "+00"
	}
	return func(dst []byte, v parquet.Value) ([]byte, error) {
		second, part := v.Int64()/per, v.Int64()%per
		if part < 0 {
			second, part = second-1, part+per
		}
		return appendTime(dst, time.Unix(second, 0).UTC(), "-01-02 15:04:05", zone, part, per)
	}
}

// printInt96 prints the timestamp that Hive, Impala and old Sparks write:
// nanoseconds of the day, then the Julian day.
func printInt96(dst []byte, v parquet.Value) ([]byte, error) {
	const julian1970 = 2440588
	n := v.Int96()
	nanos := int64(uint64(n[1])<<32 | uint64(n[0]))
	at := time.Unix((int64(n[2])-julian1970)*86400+nanos/1e9, 0).UTC()
	return appendTime(dst, at, "-01-02 15:04:05", "+00", nanos%1e9, 1e9)
}

// decimalPrinter prints unscaled integers, or big-endian two's complement.
func decimalPrinter(scale int) print {
	return func(dst []byte, v parquet.Value) ([]byte, error) {
		n := new(big.Int)
		switch v.Kind() {
		case parquet.Int32, parquet.Int64:
			n.SetInt64(integer(v))
		default:
			b := v.ByteArray()
			n.SetBytes(b)
			if len(b) > 0 && b[0]&0x80 != 0 {
				n.Sub(n, new(big.Int).Lsh(big.NewInt(1), uint(8*len(b))))
			}
		}
		digits := n.Text(10)
		if n.Sign() < 0 {
			dst, digits = append(dst, '-'), digits[1:]
		}
		if pad := scale + 1 - len(digits); pad > 0 {
			digits = strings.Repeat("0", pad) + digits
		}
		dst = append(dst, digits[:len(digits)-scale]...)
		if scale > 0 {
			dst = append(append(dst, '.'), digits[len(digits)-scale:]...)
		}
		return dst, nil
	}
}
