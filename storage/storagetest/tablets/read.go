package tablets

import (
	"bytes"

	"cloud.google.com/go/bigtable/apiv2/bigtablepb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// stop is one row at which one stream is to break.
type stop struct {
	key []byte
	how How
	met bool
}

// StopAt makes the next stream that comes to the row of the key break there,
// once, whatever Options say; nil ends it.
func (c *Cluster) StopAt(key []byte, how How) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stop = nil
	if key != nil {
		c.stop = &stop{key: bytes.Clone(key), how: how}
	}
}

// Stopped says that a stream has come to the row of StopAt.
func (c *Cluster) Stopped() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.stop != nil && c.stop.met
}

func (c *Cluster) readRows(srv any, ss grpc.ServerStream, next grpc.StreamHandler) error {
	s := &rowStream{ServerStream: ss, c: c, tells: wantsScanned(ss.Context())}
	if err := next(srv, s); err != nil {
		return err
	}
	return s.end()
}

// rowStream takes the emulator's messages, one for each row, and sends them on
// as tablets would.
type rowStream struct {
	grpc.ServerStream
	c     *Cluster
	tells bool // the client understands scanned keys

	fate    fate
	table   string
	reverse bool
	splits  [][]byte

	rows int    // sent
	last []byte // key of the last of them, or scanned
	out  bigtablepb.ReadRowsResponse
}

// RecvMsg implements grpc.ServerStream.
func (s *rowStream) RecvMsg(m any) error {
	if err := s.ServerStream.RecvMsg(m); err != nil {
		return err
	}
	req, ok := m.(*bigtablepb.ReadRowsRequest)
	if !ok {
		return status.Errorf(codes.Internal, "a %T is no request of ReadRows", m)
	}
	s.table, s.reverse = req.TableName, req.Reversed
	asked, err := proto.MarshalOptions{Deterministic: true}.Marshal(&bigtablepb.ReadRowsRequest{
		Rows: req.Rows, RowsLimit: req.RowsLimit, Reversed: req.Reversed})
	if err != nil {
		return err
	}
	s.fate = s.c.options.fate(s.c.fortune([]byte("read"), asked))
	s.splits = s.c.Splits(s.table)
	s.c.count(func(n *Counts) { n.Streams++ })
	return nil
}

// SendMsg implements grpc.ServerStream.
func (s *rowStream) SendMsg(m any) error {
	resp, ok := m.(*bigtablepb.ReadRowsResponse)
	if !ok {
		return status.Errorf(codes.Internal, "a %T is no response of ReadRows", m)
	}
	if len(resp.Chunks) == 0 {
		if err := s.flush(); err != nil {
			return err
		}
		s.last = resp.LastScannedRowKey
		return s.ServerStream.SendMsg(resp)
	}
	key := resp.Chunks[0].RowKey
	s.c.saw(s.table, key)
	if err := s.cross(key); err != nil {
		return err
	}
	how, err := s.breaks(key)
	if err != nil && how != After {
		if how == Scanned {
			if err := s.tell(key); err != nil {
				return err
			}
		}
		if how == Within {
			s.pack(half(s.chunks(resp)), false)
		}
		return s.cut(err)
	}
	if how == Quietly {
		if err := s.tell(key); err != nil {
			return err
		}
	}
	chunks := s.chunks(resp)
	s.rows++
	s.last = key
	if s.fate.reset > 0 && s.rows%s.fate.reset == 0 {
		begun := append(half(chunks), &bigtablepb.ReadRowsResponse_CellChunk{
			RowStatus: &bigtablepb.ReadRowsResponse_CellChunk_ResetRow{ResetRow: true}})
		if err := s.pack(begun, true); err != nil {
			return err
		}
	}
	if err := s.pack(chunks, true); err != nil {
		return err
	}
	if err != nil {
		return s.cut(err)
	}
	return nil
}

// breaks says whether the stream breaks at the row of the key, and with what.
func (s *rowStream) breaks(key []byte) (How, error) {
	s.c.mu.Lock()
	defer s.c.mu.Unlock()
	if st := s.c.stop; st != nil && !st.met && bytes.Equal(st.key, key) {
		st.met = true
		if st.how == Quietly {
			return Quietly, nil
		}
		return st.how, soon(status.New(codes.Unavailable, "the tablet has split")).Err()
	}
	if s.fate.rows != s.rows {
		return Before, nil
	}
	if s.fate.how == Quietly {
		return Quietly, nil
	}
	return s.fate.how, s.fate.err
}

// cross ends the message at a tablet's end, and tells of it.
func (s *rowStream) cross(key []byte) error {
	if s.last == nil || tablet(s.splits, s.last) == tablet(s.splits, key) {
		return nil
	}
	if s.fate.scanned {
		return s.tell(key)
	}
	return s.flush()
}

// tell sends how far the scan has got before the row of the key: to the edge of
// a tablet, where one lies between that row and the one before, or right to the
// row.
func (s *rowStream) tell(key []byte) error {
	if err := s.flush(); err != nil || !s.tells {
		return err
	}
	var at []byte
	for _, sp := range s.splits {
		if s.between(sp, key) {
			at = sp
		}
	}
	if at == nil && !s.reverse && key[len(key)-1] == 0 {
		at = key[:len(key)-1]
	} else if at == nil && s.reverse {
		at = append(bytes.Clone(key), 0)
	}
	if len(at) == 0 || !s.between(at, key) {
		return nil
	}
	s.last = bytes.Clone(at)
	s.c.count(func(n *Counts) { n.Scanned++ })
	return s.ServerStream.SendMsg(&bigtablepb.ReadRowsResponse{LastScannedRowKey: s.last})
}

// between says that k comes behind what was sent and before the key.
func (s *rowStream) between(k, key []byte) bool {
	if s.reverse {
		return bytes.Compare(k, key) > 0 && (s.last == nil || bytes.Compare(k, s.last) < 0)
	}
	return bytes.Compare(k, key) < 0 && (s.last == nil || bytes.Compare(k, s.last) > 0)
}

// chunks cuts a row as the service does: the key comes once, a family when it
// changes, and a long value in pieces.
func (s *rowStream) chunks(resp *bigtablepb.ReadRowsResponse) []*bigtablepb.ReadRowsResponse_CellChunk {
	var out []*bigtablepb.ReadRowsResponse_CellChunk
	family := ""
	for i, from := range resp.Chunks {
		c := proto.Clone(from).(*bigtablepb.ReadRowsResponse_CellChunk)
		if i > 0 {
			c.RowKey = nil
			if c.FamilyName.GetValue() == family {
				c.FamilyName = nil
			}
		}
		family = from.FamilyName.GetValue()
		value, end := c.Value, c.RowStatus
		most := s.fate.value
		if most > 0 {
			most = max(most, len(value)/maxParts)
		}
		if most == 0 || len(value) <= most {
			out = append(out, c)
			continue
		}
		c.Value, c.ValueSize, c.RowStatus = value[:most], int32(len(value)), nil
		out = append(out, c)
		for rest := value[most:]; len(rest) > 0; {
			n := min(most, len(rest))
			part := &bigtablepb.ReadRowsResponse_CellChunk{Value: rest[:n]}
			if rest = rest[n:]; len(rest) > 0 {
				part.ValueSize = int32(len(value))
			} else {
				part.RowStatus = end
			}
			out = append(out, part)
		}
	}
	return out
}

// half is the beginning of a row: at least a part of its first cell, never its
// end.
func half(chunks []*bigtablepb.ReadRowsResponse_CellChunk) []*bigtablepb.ReadRowsResponse_CellChunk {
	if len(chunks) > 1 {
		return chunks[: len(chunks)/2 : len(chunks)/2]
	}
	c := proto.Clone(chunks[0]).(*bigtablepb.ReadRowsResponse_CellChunk)
	c.RowStatus = nil
	if len(c.Value) > 0 {
		c.ValueSize = int32(len(c.Value))
		c.Value = c.Value[:len(c.Value)/2]
	}
	return []*bigtablepb.ReadRowsResponse_CellChunk{c}
}

// pack adds chunks to the message, and sends it when it is full.
func (s *rowStream) pack(chunks []*bigtablepb.ReadRowsResponse_CellChunk, whole bool) error {
	for _, c := range chunks {
		s.out.Chunks = append(s.out.Chunks, c)
		if s.fate.inRows && len(s.out.Chunks) >= s.fate.chunks {
			if err := s.flush(); err != nil {
				return err
			}
		}
	}
	if whole && len(s.out.Chunks) >= s.fate.chunks {
		return s.flush()
	}
	return nil
}

func (s *rowStream) flush() error {
	if len(s.out.Chunks) == 0 {
		return nil
	}
	m := &bigtablepb.ReadRowsResponse{Chunks: s.out.Chunks}
	s.out.Chunks = nil
	return s.ServerStream.SendMsg(m)
}

// cut sends what is there and breaks the stream.
func (s *rowStream) cut(why error) error {
	if err := s.flush(); err != nil {
		return err
	}
	s.c.count(func(n *Counts) { n.Broken++ })
	return why
}

// end is called after the last row.
func (s *rowStream) end() error {
	if err := s.flush(); err != nil {
		return err
	}
	if s.fate.rows >= s.rows && s.fate.err != nil && s.fate.how == After {
		s.c.count(func(n *Counts) { n.Broken++ })
		return s.fate.err
	}
	return nil
}
