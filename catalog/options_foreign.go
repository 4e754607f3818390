package catalog

import (
	"strings"

	"github.com/saltsql/saltsql/internal/sqlerr"
)

// foreignOptions are options of Phoenix, HBase and Postgres that promise what is not
// kept here: they are refused, with what to do instead. One that is switched off is
// taken: that is how things are.
var foreignOptions = map[string]string{
	"MULTI_TENANT":                 "Put the tenant's column first in the primary key and name it in each query's WHERE.",
	"TRANSACTION_PROVIDER":         "Leave it out, and say TRANSACTIONAL = true.",
	"AUTO_PARTITION_SEQ":           "Use a sequence: DEFAULT nextval('s').",
	"CHANGE_DETECTION_ENABLED":     "Use the store's own change streams.",
	"PHYSICAL_TABLE_NAME":          "Leave it out: the storage table's name follows from the table.",
	"STREAMING_TOPIC_NAME":         "Use the store's own change streams.",
	"COLUMN_QUALIFIER_COUNTER":     "Leave it out: qualifiers are numbered from 11 on in the order of the columns.",
	"SALT_HASH":                    "Leave it out: the hash is phoenix31.",
	"ENCRYPTION":                   "Encryption belongs to the store, not to a table.",
	"ENCRYPTION_KEY":               "Encryption belongs to the store, not to a table.",
	"READONLY":                     "Grant write access in the store only to those who may write.",
	"COLUMN_ENCODED_BYTES_DEFAULT": "Use COLUMN_ENCODED_BYTES.",
	"DEFAULT_TTL":                  "Use TTL, in seconds.",
	"OIDS":                         "Leave it out: rows have no OIDs.",
}

// idleOptions are options of theirs that tune a store, and without which every answer is
// the same: a NOTICE says why they have no effect.
var idleOptions = map[string]string{
	"DISABLE_WAL":                    "Every acknowledged write is durable.",
	"STORE_NULLS":                    "A NULL is stored as no cell, and read as NULL in either form.",
	"UPDATE_CACHE_FREQUENCY":         "Servers see changes of the catalog by themselves.",
	"APPEND_ONLY_SCHEMA":             "Every server sees a new column by itself.",
	"GUIDE_POSTS_WIDTH":              "Scans are divided by the store's own tablets.",
	"USE_STATS_FOR_PARALLELIZATION":  "Scans are divided by the store's own tablets.",
	"IS_STRICT_TTL":                  "Expired rows never appear.",
	"SCHEMA_VERSION":                 "COMMENT ON TABLE keeps a version of your own.",
	"COMPRESSION":                    "The store compresses by itself.",
	"COMPRESSION_COMPACT":            "The store compresses by itself.",
	"DATA_BLOCK_ENCODING":            "The store chooses how blocks are encoded.",
	"BLOCKSIZE":                      "Block size belongs to the store, not to a table.",
	"BLOCKCACHE":                     "The cache belongs to the store, not to a table.",
	"IN_MEMORY":                      "The cache belongs to the store, not to a table.",
	"CACHE_DATA_ON_WRITE":            "The cache belongs to the store, not to a table.",
	"CACHE_INDEX_ON_WRITE":           "The cache belongs to the store, not to a table.",
	"CACHE_BLOOMS_ON_WRITE":          "The cache belongs to the store, not to a table.",
	"PREFETCH_BLOCKS_ON_OPEN":        "The cache belongs to the store, not to a table.",
	"EVICT_BLOCKS_ON_CLOSE":          "The cache belongs to the store, not to a table.",
	"BLOOMFILTER":                    "The store keeps bloom filters by itself.",
	"MIN_VERSIONS":                   "VERSIONS bounds how many versions are kept.",
	"KEEP_DELETED_CELLS":             "What is deleted is not kept.",
	"REPLICATION_SCOPE":              "Replication is a property of the Bigtable instance, not of a table.",
	"MAX_FILESIZE":                   "The store splits tablets by itself.",
	"MEMSTORE_FLUSHSIZE":             "The store sizes its write buffers by itself.",
	"DURABILITY":                     "Every acknowledged write is durable.",
	"SPLIT_POLICY":                   "The store splits tablets by itself.",
	"NORMALIZATION_ENABLED":          "The store splits and merges tablets by itself.",
	"COMPACTION_ENABLED":             "The store compacts by itself.",
	"FILLFACTOR":                     "Rows are not kept in pages.",
	"AUTOVACUUM_ENABLED":             "There is nothing to vacuum.",
	"PARALLEL_WORKERS":               "Scans run in parallel by salt bucket.",
	"TOAST_TUPLE_TARGET":             "Rows are not kept in pages.",
	"LOG_AUTOVACUUM_MIN_DURATION":    "There is nothing to vacuum.",
	"USER_CATALOG_TABLE":             "It has no meaning here.",
	"AUTOVACUUM_VACUUM_SCALE_FACTOR": "There is nothing to vacuum.",
	"VACUUM_TRUNCATE":                "There is nothing to vacuum.",
}

// Idle gives the NOTICE of an option that is taken without effect; ok is false for any
// other option.
func (d OptionDef) Idle() (notice *sqlerr.Error, ok bool) {
	name := strings.ToUpper(d.Name)
	if why := idleOptions[name]; why != "" {
		return sqlerr.Notice(sqlerr.SuccessfulCompletion, "table option %s has no effect", name).WithDetail("%s", why), true
	}
	return nil, foreignOptions[name] != "" && d.Namespace == "" && d.HasValue && d.word() == "false"
}
