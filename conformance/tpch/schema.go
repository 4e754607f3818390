package tpch

import (
	"fmt"
	"strings"
)

// Table is one of the eight tables.
type Table struct {
	Name    string
	Columns string // with types, without the key
	Key     string
	Salt    int // buckets; 0: not salted
}

// Tables are listed in the order of their making.
var Tables = []Table{
	{"region", "r_regionkey int, r_name varchar(25), r_comment varchar(152)", "r_regionkey", 0},
	{"nation", "n_nationkey int, n_name varchar(25), n_regionkey int not null, n_comment varchar(152)", "n_nationkey", 0},
	{"supplier", "s_suppkey int, s_name varchar(25), s_address varchar(40), s_nationkey int not null, s_phone varchar(15), s_acctbal decimal(15,2), s_comment varchar(101)", "s_suppkey", 4},
	{"part", "p_partkey int, p_name varchar(55), p_mfgr varchar(25), p_brand varchar(10), p_type varchar(25), p_size int, p_container varchar(10), p_retailprice decimal(15,2), p_comment varchar(23)", "p_partkey", 8},
	{"partsupp", "ps_partkey int, ps_suppkey int, ps_availqty int, ps_supplycost decimal(15,2), ps_comment varchar(199)", "ps_partkey, ps_suppkey", 8},
	{"customer", "c_custkey int, c_name varchar(25), c_address varchar(40), c_nationkey int not null, c_phone varchar(15), c_acctbal decimal(15,2), c_mktsegment varchar(10), c_comment varchar(117)", "c_custkey", 8},
	{"orders", "o_orderkey bigint, o_custkey int not null, o_orderstatus varchar(1), o_totalprice decimal(15,2), o_orderdate date, o_orderpriority varchar(15), o_clerk varchar(15), o_shippriority int, o_comment varchar(79)", "o_orderkey", 8},
	{"lineitem", "l_orderkey bigint, l_linenumber int, l_partkey int not null, l_suppkey int not null, l_quantity decimal(15,2), l_extendedprice decimal(15,2), l_discount decimal(15,2), l_tax decimal(15,2), l_returnflag varchar(1), l_linestatus varchar(1), l_shipdate date, l_commitdate date, l_receiptdate date, l_shipinstruct varchar(25), l_shipmode varchar(10), l_comment varchar(44)", "l_orderkey, l_linenumber", 8},
}

// Create is the statement that makes the table; salted says whether its salt is in it,
// which PostgreSQL does not know.
func (t Table) Create(salted bool) string {
	s := fmt.Sprintf("CREATE TABLE %s (%s, PRIMARY KEY (%s))", t.Name, t.Columns, t.Key)
	if salted && t.Salt > 0 {
		first, _, _ := strings.Cut(t.Key, ",")
		s += fmt.Sprintf(" SALT_BUCKETS = %d, SALT_COLUMNS = (%s)", t.Salt, first)
	}
	return s
}
