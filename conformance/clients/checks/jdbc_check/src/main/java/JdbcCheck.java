import java.io.StringReader;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.sql.*;
import java.time.*;
import java.util.*;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/** pgjdbc: all of DatabaseMetaData, values of types, fetch sizes, batches, COPY, notifications, cancelling. */
public class JdbcCheck {
  interface Run { void run(Map<String, Object> saw) throws Exception; }

  static String quoted(String s) {
    StringBuilder b = new StringBuilder("\"");
    for (char c : s.toCharArray()) {
      if (c == '"' || c == '\\') b.append('\\').append(c);
      else if (c < ' ') b.append(String.format("\\u%04x", (int) c));
      else b.append(c);
    }
    return b.append('"').toString();
  }

  static String json(Object o) {
    if (o == null || o instanceof Number || o instanceof Boolean) return String.valueOf(o);
    if (o instanceof Map<?, ?> m) {
      StringJoiner j = new StringJoiner(",", "{", "}");
      m.forEach((k, v) -> j.add(quoted(k.toString()) + ":" + json(v)));
      return j.toString();
    }
    if (o instanceof Iterable<?> l) {
      StringJoiner j = new StringJoiner(",", "[", "]");
      l.forEach(v -> j.add(json(v)));
      return j.toString();
    }
    return quoted(o.toString());
  }

  static void check(String name, Run run) {
    Map<String, Object> line = new LinkedHashMap<>(), saw = new LinkedHashMap<>();
    line.put("client", "pgjdbc");
    line.put("version", org.postgresql.util.DriverInfo.DRIVER_VERSION);
    line.put("check", name);
    line.put("saw", saw);
    try {
      run.run(saw);
      line.put("ok", true);
    } catch (Throwable e) {
      line.put("ok", false);
      line.put("why", String.valueOf(e.getMessage()));
    }
    System.out.println(json(line));
  }

  /** The rows of a result as text; objects of users are numbered by each server in its own way. */
  static List<List<String>> rows(ResultSet r) throws SQLException {
    List<List<String>> rows = new ArrayList<>();
    try (r) {
      ResultSetMetaData m = r.getMetaData();
      List<String> head = new ArrayList<>();
      for (int i = 1; i <= m.getColumnCount(); i++) head.add(m.getColumnName(i) + " " + m.getColumnTypeName(i));
      rows.add(head);
      while (r.next()) {
        List<String> row = new ArrayList<>();
        for (int i = 1; i <= m.getColumnCount(); i++) {
          String v = r.getString(i);
          row.add(m.getColumnName(i).equals("SPECIFIC_NAME") && v != null ? v.replaceAll("_\\d+$", "") : v);
        }
        rows.add(row);
      }
    }
    return rows;
  }

  static final String[] MAKE = {
    "CREATE SCHEMA jm", "CREATE TYPE jm.mood AS ENUM ('sad', 'ok')", "CREATE DOMAIN jm.small AS integer CHECK (VALUE < 10)",
    "CREATE TABLE jm.parents (a integer, b varchar(20) NOT NULL DEFAULT 'x', m jm.mood, s jm.small, CONSTRAINT parents_key PRIMARY KEY (b, a))",
    "CREATE TABLE jm.children (id serial PRIMARY KEY, n numeric(10,2), f real, d double precision, t text, c char(3), y bytea, o boolean, da date, ti time(3), ts timestamp, tz timestamptz(2),"
      + " iv interval, u uuid, j jsonb, l integer[], p_a integer, p_b varchar(20), twice integer GENERATED ALWAYS AS (p_a * 2) STORED, i bigint GENERATED ALWAYS AS IDENTITY)",
    "ALTER TABLE jm.children ADD CONSTRAINT to_parent FOREIGN KEY (p_b, p_a) REFERENCES jm.parents (b, a) ON UPDATE CASCADE ON DELETE SET NULL DEFERRABLE NOT VALID",
    "CREATE UNIQUE INDEX by_t ON jm.children (t DESC, lower(c))", "CREATE INDEX partly ON jm.children (n) WHERE n > 0", "CREATE VIEW jm.v AS SELECT id, t FROM jm.children",
    "CREATE MATERIALIZED VIEW jm.mv AS SELECT p_a, count(*) AS n FROM jm.children GROUP BY p_a", "COMMENT ON TABLE jm.parents IS 'who'", "COMMENT ON COLUMN jm.parents.b IS 'what'",
    "GRANT SELECT ON jm.parents TO PUBLIC",
  };

  public static void main(String[] args) throws Exception {
    String url = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/" + System.getenv("PGDATABASE") + "?user=" + System.getenv("PGUSER");
    TimeZone.setDefault(TimeZone.getTimeZone("UTC"));
    Connection c = DriverManager.getConnection(url);
    Statement s = c.createStatement();
    check("make", saw -> { for (String q : MAKE) s.execute(q); });
    DatabaseMetaData m = c.getMetaData();
    Map<String, java.util.concurrent.Callable<ResultSet>> asked = new LinkedHashMap<>();
    asked.put("getTables", () -> m.getTables(null, "jm", "%", null));
    asked.put("getTables of types", () -> m.getTables(null, "jm", "%", new String[] {"TABLE", "VIEW", "MATERIALIZED VIEW"}));
    asked.put("getColumns", () -> m.getColumns(null, "jm", "%", "%"));
    asked.put("getColumns of one", () -> m.getColumns(null, "jm", "children", "t%"));
    asked.put("getPrimaryKeys", () -> m.getPrimaryKeys(null, "jm", "parents"));
    asked.put("getImportedKeys", () -> m.getImportedKeys(null, "jm", "children"));
    asked.put("getExportedKeys", () -> m.getExportedKeys(null, "jm", "parents"));
    asked.put("getCrossReference", () -> m.getCrossReference(null, "jm", "parents", null, "jm", "children"));
    asked.put("getIndexInfo", () -> m.getIndexInfo(null, "jm", "children", false, true));
    asked.put("getIndexInfo, unique", () -> m.getIndexInfo(null, "jm", "children", true, true));
    asked.put("getTablePrivileges", () -> m.getTablePrivileges(null, "jm", "parents"));
    asked.put("getColumnPrivileges", () -> m.getColumnPrivileges(null, "jm", "parents", "%"));
    asked.put("getBestRowIdentifier", () -> m.getBestRowIdentifier(null, "jm", "parents", DatabaseMetaData.bestRowSession, false));
    asked.put("getVersionColumns", () -> m.getVersionColumns(null, "jm", "parents"));
    asked.put("getSchemas", () -> m.getSchemas(null, "jm"));
    asked.put("getUDTs", () -> m.getUDTs(null, "jm", "%", null));
    asked.put("getProcedures", () -> m.getProcedures(null, "jm", "%"));
    asked.put("getFunctions", () -> m.getFunctions(null, "pg_catalog", "lower"));
    asked.put("getFunctionColumns", () -> m.getFunctionColumns(null, "pg_catalog", "left", "%"));
    asked.put("getTableTypes", () -> m.getTableTypes());
    asked.put("getClientInfoProperties", () -> m.getClientInfoProperties());
    asked.put("getSuperTables", () -> m.getSuperTables(null, "jm", "%"));
    asked.forEach((name, ask) -> check(name, saw -> {
      try {
        List<List<String>> found = rows(ask.call());
        // The row types of tables are no types here; the OIDs of enums' and domains' rows differ.
        saw.put("rows", found);
      } catch (SQLFeatureNotSupportedException e) {
        saw.put("refused by the driver", true);
      }
    }));
    check("getTypeInfo", saw -> {
      Set<String> common = Set.of("int2", "int4", "int8", "text", "varchar", "numeric", "bool", "bytea", "date", "time", "timestamp", "timestamptz", "interval", "uuid", "jsonb", "_int4", "_text");
      saw.put("rows", rows(m.getTypeInfo()).stream().filter(r -> common.contains(r.get(0))).toList());
    });
    check("limits", saw -> {
      saw.put("names", List.of(m.getMaxTableNameLength(), m.getMaxColumnNameLength(), m.getMaxIndexLength(), m.getMaxColumnsInTable(), m.getMaxConnections() > 0));
      saw.put("words", m.getSQLKeywords());
      saw.put("product", List.of(m.getDatabaseProductName(), m.getDatabaseMajorVersion(), m.getIdentifierQuoteString(), m.getDefaultTransactionIsolation()));
    });
    for (String mode : new String[] {"extended", "extendedForPrepared", "extendedCacheEverything", "simple"}) {
      check("values, " + mode, saw -> {
        try (Connection d = DriverManager.getConnection(url + "&prepareThreshold=2&preferQueryMode=" + mode)) {
          d.createStatement().execute("CREATE TABLE jd_all (k bigint PRIMARY KEY, n numeric(10,2), f double precision, t text, b boolean, y bytea, d date, ti time, ts timestamp, tz timestamptz, u uuid, j jsonb, l integer[])");
          try (PreparedStatement p = d.prepareStatement("INSERT INTO jd_all VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?::jsonb, ?)")) {
            for (int i = 0; i < 5; i++) {
              p.setLong(1, i); p.setBigDecimal(2, new BigDecimal("1.50")); p.setDouble(3, 0.1); p.setString(4, "é"); p.setBoolean(5, true); p.setBytes(6, new byte[] {0, -1});
              p.setObject(7, LocalDate.of(2024, 2, 29)); p.setObject(8, LocalTime.of(1, 2, 3, 4000)); p.setObject(9, LocalDateTime.of(2024, 2, 29, 1, 2, 3, 4000));
              p.setObject(10, OffsetDateTime.of(2024, 2, 29, 1, 2, 3, 4000, ZoneOffset.UTC)); p.setObject(11, new UUID(1, 2)); p.setString(12, "{\"a\": 1}");
              p.setArray(13, d.createArrayOf("int4", new Object[] {1, null, 3}));
              p.executeUpdate();
            }
          }
          List<Object> seen = new ArrayList<>();
          try (PreparedStatement p = d.prepareStatement("SELECT * FROM jd_all WHERE k = ?")) {
            for (int i = 0; i < 5; i++) {
              p.setLong(1, i);
              try (ResultSet r = p.executeQuery()) {
                r.next();
                for (int x = 2; x <= 13; x++) seen.add(r.getMetaData().getColumnClassName(x) + " " + (x == 6 ? Arrays.toString(r.getBytes(x)) : r.getString(x)));
                seen.add(r.getObject(10, OffsetDateTime.class));
                seen.add(Arrays.toString((Object[]) r.getArray(13).getArray()));
              }
            }
          }
          saw.put("values", seen);
          d.createStatement().execute("DROP TABLE jd_all");
        }
      });
    }
    check("parameters", saw -> {
      try (PreparedStatement p = c.prepareStatement("SELECT * FROM jm.children WHERE id = ? AND t LIKE ? AND tz > ? AND l = ?")) {
        List<Object> types = new ArrayList<>();
        for (int i = 1; i <= 4; i++) types.add(p.getParameterMetaData().getParameterTypeName(i));
        saw.put("types", types);
        List<Object> cols = new ArrayList<>();
        ResultSetMetaData r = p.getMetaData();
        for (int i = 1; i <= r.getColumnCount(); i++) {
          cols.add(List.of(r.getColumnName(i), r.getColumnTypeName(i), r.getPrecision(i), r.getScale(i), r.isNullable(i), r.isAutoIncrement(i), r.getColumnDisplaySize(i), r.getTableName(i)));
        }
        saw.put("columns", cols);
      }
    });
    check("generated keys", saw -> {
      try (PreparedStatement p = c.prepareStatement("INSERT INTO jm.children (t) VALUES (?)", new String[] {"id", "i"})) {
        for (String t : new String[] {"a", "b"}) { p.setString(1, t); p.addBatch(); }
        p.executeBatch();
        saw.put("keys", rows(p.getGeneratedKeys()));
      }
      try (PreparedStatement p = c.prepareStatement("UPDATE jm.children SET n = 5 WHERE t = 'a'", Statement.RETURN_GENERATED_KEYS)) {
        p.executeUpdate();
        saw.put("all", rows(p.getGeneratedKeys()).size());
      }
    });
    check("rewritten batches", saw -> {
      try (Connection d = DriverManager.getConnection(url + "&reWriteBatchedInserts=true"); PreparedStatement p = d.prepareStatement("INSERT INTO jm.parents (a, b) VALUES (?, ?)")) {
        for (int i = 0; i < 300; i++) { p.setInt(1, i); p.setString(2, "b" + i); p.addBatch(); }
        saw.put("counts", p.executeBatch().length);
      }
      try (ResultSet r = s.executeQuery("SELECT count(*) FROM jm.parents")) { r.next(); saw.put("rows", r.getInt(1)); }
    });
    check("updatable rows", saw -> {
      try (Statement u = c.createStatement(ResultSet.TYPE_SCROLL_INSENSITIVE, ResultSet.CONCUR_UPDATABLE); ResultSet r = u.executeQuery("SELECT a, b, m FROM jm.parents WHERE a < 5 ORDER BY a")) {
        r.absolute(3);
        r.updateString("m", null);
        r.updateRow();
        r.moveToInsertRow(); r.updateInt("a", 1000); r.updateString("b", "new"); r.insertRow();
        r.last(); saw.put("last", r.getString("b"));
        r.beforeFirst(); r.next(); r.deleteRow();
      }
      saw.put("left", rows(s.executeQuery("SELECT a FROM jm.parents WHERE a < 5 OR a = 1000 ORDER BY a")));
    });
    check("transactions", saw -> {
      c.setAutoCommit(false);
      List<Object> levels = new ArrayList<>();
      for (int level : new int[] {Connection.TRANSACTION_READ_COMMITTED, Connection.TRANSACTION_REPEATABLE_READ, Connection.TRANSACTION_SERIALIZABLE}) {
        c.setTransactionIsolation(level);
        levels.add(c.getTransactionIsolation());
      }
      c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
      saw.put("levels", levels);
      s.execute("DELETE FROM jm.parents WHERE a = 7");
      Savepoint p = c.setSavepoint("p");
      try { s.execute("INSERT INTO jm.parents (a, b) VALUES (8, 'b8')"); } catch (SQLException e) {
        saw.put("error", List.of(e.getSQLState(), ((org.postgresql.util.PSQLException) e).getServerErrorMessage().getConstraint()));
        c.rollback(p);
      }
      c.commit();
      c.setReadOnly(true);
      try { s.execute("DELETE FROM jm.parents"); } catch (SQLException e) { saw.put("read only", e.getSQLState()); }
      c.rollback();
      c.setReadOnly(false);
      c.setAutoCommit(true);
    });
    check("copy", saw -> {
      var copy = c.unwrap(PGConnection.class).getCopyAPI();
      saw.put("in", copy.copyIn("COPY jm.parents (a, b) FROM STDIN WITH (FORMAT csv)", new StringReader("5000,x\n5001,\"y,z\"\n")));
      StringWriter out = new StringWriter();
      saw.put("out", copy.copyOut("COPY (SELECT a, b FROM jm.parents WHERE a >= 5000 ORDER BY a) TO STDOUT WITH (FORMAT csv, HEADER)", out));
      saw.put("text", out.toString());
    });
    check("notify", saw -> {
      try (Connection d = DriverManager.getConnection(url)) {
        d.createStatement().execute("LISTEN jd");
        s.execute("NOTIFY jd, 'x'");
        PGNotification[] got = d.unwrap(PGConnection.class).getNotifications(20000);
        saw.put("got", List.of(got[0].getName(), got[0].getParameter()));
      }
    });
    check("timeout", saw -> {
      try (Statement t = c.createStatement()) {
        t.setQueryTimeout(1);
        t.execute("SELECT pg_sleep(60)");
      } catch (SQLException e) { saw.put("code", e.getSQLState()); }
      saw.put("valid", c.isValid(20));
    });
    // A million rows by portals of 100: what is held must not grow with what has been read.
    check("fetch size 100 over 1,000,000 rows", saw -> {
      s.execute("CREATE TABLE jm.many (k integer PRIMARY KEY, t text)");
      s.execute("INSERT INTO jm.many SELECT i, 'row ' || i || repeat('x', 60) FROM generate_series(1, 1000000) i");
      c.setAutoCommit(false);
      long n = 0, sum = 0, peak = 0;
      try (Statement f = c.createStatement()) {
        f.setFetchSize(100);
        try (ResultSet r = f.executeQuery("SELECT k, t FROM jm.many ORDER BY k")) {
          while (r.next()) {
            sum += r.getInt(1);
            if (++n % 250000 == 0) {
              System.gc();
              peak = Math.max(peak, Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory());
            }
          }
        }
      }
      c.commit();
      c.setAutoCommit(true);
      saw.put("rows", List.of(n, sum));
      saw.put("under 64 MB", peak < 64 << 20);
    });
    check("drop", saw -> {
      for (String t : new String[] {"TABLE jm.many", "MATERIALIZED VIEW jm.mv", "VIEW jm.v", "TABLE jm.children", "TABLE jm.parents", "TYPE jm.mood", "DOMAIN jm.small", "SCHEMA jm"}) s.execute("DROP " + t);
    });
    c.close();
  }
}
