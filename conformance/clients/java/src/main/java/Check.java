import java.io.StringReader;
import java.math.BigDecimal;
import java.sql.*;
import org.postgresql.PGConnection;

/** Checks that pgjdbc works as with PostgreSQL. */
public class Check {
  static void check(boolean ok, String what) {
    if (!ok) throw new AssertionError(what);
  }

  public static void main(String[] args) throws Exception {
    String url = "jdbc:postgresql://" + System.getenv("PGHOST") + ":" + System.getenv("PGPORT") + "/saltsql";
    for (String mode : new String[] {"extended", "simple", "extendedForPrepared"}) {
      try (Connection c = DriverManager.getConnection(url + "?preferQueryMode=" + mode + "&prepareThreshold=2", "tester", "")) {
        run(c, mode);
      }
    }
    Replan.run(url);
    System.out.println("pgjdbc " + org.postgresql.util.DriverInfo.DRIVER_VERSION);
  }

  static void run(Connection c, String mode) throws Exception {
    try (Statement s = c.createStatement()) {
      s.execute("CREATE TABLE jd1 (k INT, s VARCHAR, n NUMERIC(8,2), t TIMESTAMP, b BOOLEAN, y BYTEA, PRIMARY KEY (k)) SALT_BUCKETS = 4");
    }
    Timestamp when = Timestamp.valueOf("2024-02-29 12:00:00.000001");
    try (PreparedStatement p = c.prepareStatement("INSERT INTO jd1 VALUES (?, ?, ?, ?, ?, ?)")) {
      for (int i = 0; i < 20; i++) {
        p.setInt(1, i);
        p.setString(2, "é" + i);
        p.setBigDecimal(3, new BigDecimal("1.50"));
        p.setTimestamp(4, when);
        p.setBoolean(5, true);
        p.setBytes(6, new byte[] {0, (byte) 255});
        p.addBatch();
      }
      check(p.executeBatch().length == 20, "batch");
    }
    try (PreparedStatement p = c.prepareStatement("SELECT * FROM jd1 WHERE k = ?")) {
      for (int i = 0; i < 8; i++) {
        p.setInt(1, i);
        try (ResultSet r = p.executeQuery()) {
          check(r.next() && r.getString("s").equals("é" + i) && r.getBigDecimal("n").equals(new BigDecimal("1.50")), "row " + i);
          check(r.getTimestamp("t").equals(when) && r.getBoolean("b") && r.getBytes("y").length == 2, "values " + i);
        }
      }
    }
    c.setAutoCommit(false);
    try (Statement s = c.createStatement()) {
      s.setFetchSize(3);
      int n = 0;
      try (ResultSet r = s.executeQuery("SELECT k FROM jd1 ORDER BY k")) {
        while (r.next()) check(r.getInt(1) == n++, "order");
      }
      check(n == 20, "cursor " + n);
      Savepoint sp = c.setSavepoint();
      try {
        s.execute("INSERT INTO jd1 (k) VALUES (1)");
        check(false, "no error for a key that exists");
      } catch (SQLException e) {
        check(e.getSQLState().equals("23505"), e.getSQLState());
        c.rollback(sp);
      }
      s.execute("DELETE FROM jd1");
    }
    c.rollback();
    c.setAutoCommit(true);
    if (!mode.equals("simple")) {
      long n = c.unwrap(PGConnection.class).getCopyAPI().copyIn("COPY jd1 (k, s) FROM STDIN WITH (FORMAT csv)", new StringReader("100,a\n101,b\n"));
      check(n == 2, "copy " + n);
    }
    try (Statement s = c.createStatement()) {
      s.execute("DROP TABLE jd1");
    }
  }
}
