package conformance

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/saltsql/saltsql"
	"github.com/saltsql/saltsql/conformance/harness"
	"github.com/saltsql/saltsql/conformance/random"
	"github.com/saltsql/saltsql/conformance/slt"
	"github.com/saltsql/saltsql/internal/seeds"
	"github.com/saltsql/saltsql/internal/session"
	"github.com/saltsql/saltsql/storage/bigtable"
	"github.com/saltsql/saltsql/storage/storagetest/emulator"
	"github.com/saltsql/saltsql/storage/storagetest/tablets"
)

// openMoving makes a DB on the emulator whose tablets move.
func openMoving(t testing.TB, o tablets.Options) (*saltsql.DB, *tablets.Cluster) {
	c := tablets.New(o)
	store, err := bigtable.Open(context.Background(), bigtable.Config{
		Project: "test", Instance: "test", Emulator: emulator.Start(t, c.ServerOptions()...)})
	if err != nil {
		t.Fatal(err)
	}
	db, err := saltsql.Open(context.Background(), store, &saltsql.Options{Logger: harness.Quiet})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(db.Close(), store.Close()); err != nil {
			t.Error(err)
		}
	})
	return db, c
}

// movingTable has rows in many buckets, with keys of several lengths.
const movingTable = `CREATE TABLE mv (a INT, b VARCHAR, c SMALLINT, n INT, note VARCHAR, CONSTRAINT pk PRIMARY KEY (a, b DESC, c))`

const movingRows = `INSERT INTO mv VALUES (1,'',1,1,'p'), (1,'x',1,2,NULL), (1,'x',2,3,'q'), (1,'xy',1,4,'r'), (1,'y',-5,5,'s'),
	(2,'',0,6,'t'), (2,'x',1,7,'u'), (2,'xyz',3,8,NULL), (2,'z',3,9,'w'), (3,'a',1,10,'x'), (3,'a',2,11,'y'), (3,'a',3,12,'z'),
	(3,'ab',1,13,NULL), (-4,'q',1,14,'aa'), (-4,'q',32767,15,'bb'), (255,'ÿ',-32768,16,'cc'), (256,'x',1,17,'dd'), (2147483647,'x',1,18,'ee')`

var movingQueries = []string{
	"SELECT * FROM mv ORDER BY a, b DESC, c",
	"SELECT * FROM mv ORDER BY a DESC, b, c DESC",
	"SELECT a, b, c, n FROM mv ORDER BY a DESC, b, c DESC LIMIT 7 OFFSET 2",
	"SELECT a, b, c FROM mv WHERE (a, c) > (1, 1) ORDER BY a, b DESC, c LIMIT 6",
	"SELECT a, count(*), sum(n), max(note) FROM mv GROUP BY a ORDER BY a",
	"SELECT count(*), sum(n), min(b), max(b) FROM mv",
	"SELECT DISTINCT a FROM mv ORDER BY a DESC",
	"SELECT DISTINCT ON (a) a, b, c FROM mv ORDER BY a, b DESC, c",
	"SELECT min(a), max(a) FROM mv WHERE n > 3",
	"SELECT * FROM mv WHERE a IN (1, 3, 255) AND c >= 1 ORDER BY a, b DESC, c",
	"SELECT n FROM mv WHERE a = 3 AND b = 'a' ORDER BY c DESC",
	"SELECT n FROM mv WHERE (a, b, c) IN ((1,'x',2), (2,'z',3), (256,'x',1), (9,'x',1)) ORDER BY n",
	"SELECT n FROM mv WHERE a = ANY('{1,2,256,2147483647,-4}') AND b LIKE 'x%' ORDER BY n",
	"SELECT note, n FROM mv WHERE n > 2 ORDER BY note DESC NULLS LAST, n LIMIT 5",
	"SELECT n FROM mv WHERE a = 1 AND b = 'x' UNION ALL SELECT n FROM mv WHERE c = 3 ORDER BY 1",
	"UPDATE mv SET n = n + 100 WHERE a >= 2 AND note IS NOT NULL RETURNING n",
	"UPDATE mv SET n = n - 100 WHERE n > 100",
	"UPSERT INTO mv (a, b, c, note) SELECT a, b, c, note FROM mv WHERE c = 1",
}

// TestTabletsMove stops a stream of every statement at every row, in one of the
// ways in which a tablet that moves does it, and compares with a store that has
// no tablets.
func TestTabletsMove(t *testing.T) {
	seeds.Sometimes(t)
	ctx := context.Background()
	all := []string{"", "SALT_BUCKETS = 16", "SALT_BUCKETS = 16, SALT_COLUMNS = (a)", "SALT_BUCKETS = 256"}
	for i := range seeds.Part(t, len(all), seeds.Whole) {
		options := all[i]
		t.Run(options, func(t *testing.T) {
			wide := strings.Contains(options, "256")
			if wide && testing.Short() {
				t.Skip("too long")
			}
			db, cluster := openMoving(t, tablets.Options{})
			conns := make([]sessionConn, 2)
			for i, db := range []*saltsql.DB{variant{store: "mem"}.open(t), db} {
				s, err := db.NewSession(saltsql.SessionOptions{})
				if err != nil {
					t.Fatal(err)
				}
				defer s.Close()
				conns[i] = sessionConn{s}
			}
			both := func(sql, ours string) {
				t.Helper()
				st := random.Statement{Query: strings.HasPrefix(sql, "SELECT"), Ordered: true}
				want := form(st, func() ([][]*string, string, error) { return conns[0].Exec(ctx, sql) })
				got := form(st, func() ([][]*string, string, error) { return conns[1].Exec(ctx, sql+ours) })
				if want != got || strings.HasPrefix(want, "error") {
					t.Fatalf("%s gives\n%s\nand with tablets that move\n%s", sql, want, got)
				}
			}
			both(movingTable, " "+options)
			both(movingRows, "")
			physical := session.Behind(db).Catalog().Snapshot().Table("public", "mv").Physical
			met := 0
			for i, key := range cluster.Keys(physical) {
				cluster.SetSplits(physical, [][]byte{key[:1], key[:len(key)/2], key, append(bytes.Clone(key), 0), {7}, {8}})
				for j, sql := range movingQueries {
					if wide && (i+j)%6 != 0 { // the emulator takes long over so many streams
						continue
					}
					cluster.StopAt(key, tablets.Hows()[(i+j)%len(tablets.Hows())])
					both(sql, "")
					if cluster.Stopped() {
						met++
					}
				}
				cluster.StopAt(nil, tablets.Before)
				both(movingQueries[0], "")
			}
			t.Logf("%d streams stopped; %+v", met, cluster.Counts())
			if met < 30 {
				t.Errorf("only %d streams have come to their row", met)
			}
		})
	}
}

// movingEngine lets tablets move before each statement.
type movingEngine struct {
	engine
	cluster *tablets.Cluster
}

// Names has moving, for estimates: they are made of the tablets that there are.
func (e movingEngine) Names() []string { return append(e.engine.Names(), "moving") }

func (e movingEngine) Open(ctx context.Context) (slt.Conn, error) {
	c, err := e.engine.Open(ctx)
	return movingConn{c, e.cluster}, err
}

type movingConn struct {
	slt.Conn
	cluster *tablets.Cluster
}

func (c movingConn) Exec(ctx context.Context, sql string) ([][]*string, string, error) {
	c.cluster.Move()
	return c.Conn.Exec(ctx, sql)
}

// TestSLTWhileTabletsMove: the files have the same answers, at the same work.
func TestSLTWhileTabletsMove(t *testing.T) {
	t.Parallel()
	broken, moves, files := 0, 0, 0
	paths := sltFiles(t, "*.slt")
	for i := range seeds.Part(t, len(paths), 20*time.Second) {
		path := paths[i]
		files++
		f, err := slt.Parse(path)
		if err != nil {
			t.Fatal(err)
		}
		salts := []int{0, 16}
		if !*faultMatrix {
			salts = salts[i%2 : i%2+1]
		}
		for _, salt := range salts {
			v := variant{store: "bigtable", salt: salt}
			t.Run(fmt.Sprintf("%s/%s", strings.TrimSuffix(filepath.Base(path), ".slt"), v), func(t *testing.T) {
				db, cluster := openMoving(t, tablets.Options{Reads: 2, Writes: 20})
				cluster.Restart(uint64(i))
				faults, _ := slt.Run(context.Background(), f, movingEngine{engine{v, db}, cluster})
				for _, fault := range faults {
					t.Error(fault)
				}
				broken += cluster.Counts().Broken
				moves += cluster.Counts().Moves
			})
		}
	}
	t.Logf("%d streams broken, %d moves", broken, moves)
	if files >= 20 && (broken < 20 || moves < 20) {
		t.Error("hardly anything has moved")
	}
}
