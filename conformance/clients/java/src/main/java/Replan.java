import java.sql.*;
import java.util.Properties;

/**
 * What pgjdbc does where a statement it has prepared no longer serves: it reads SQLSTATE and
 * routine of the error and, where it may, prepares anew. Every line is what the same program
 * prints against PostgreSQL 15.
 */
public class Replan {
  static final String[] SPOILS = {"ALTER TABLE jd2 ADD COLUMN y INT", "DEALLOCATE ALL", "DISCARD ALL", "ALTER TABLE jd2 ALTER COLUMN x TYPE VARCHAR(20)", "SET search_path = public"};

  static void run(String url) throws Exception {
    for (String autosave : new String[] {"never", "conservative", "always"}) {
      for (boolean block : new boolean[] {false, true}) {
        for (String cols : new String[] {"*", "k, x"}) {
          for (int threshold : new int[] {1, 5, -1}) {
            for (String spoil : SPOILS) {
              if (block && spoil.startsWith("DISCARD")) continue;
              String got = once(url, autosave, block, cols, threshold, spoil);
              String want = expected(autosave, block, cols, threshold, spoil);
              Check.check(got.equals(want), autosave + ", block " + block + ", " + cols + ", threshold " + threshold + ", " + spoil + ": " + got + ", not " + want);
            }
          }
        }
      }
    }
  }

  /** The statement's result changes where a column comes, and it is prepared on the server. */
  static String expected(String autosave, boolean block, String cols, int threshold, String spoil) {
    boolean prepared = threshold == 1 || threshold == -1;
    if (!block || !autosave.equals("never")) return "ok";
    if (spoil.startsWith("DEALLOCATE")) return "ok";
    if (spoil.startsWith("ALTER TABLE jd2 ADD")) return cols.equals("*") && prepared ? "0A000" : "ok";
    if (spoil.contains("TYPE")) return prepared ? "0A000" : "ok";
    return "ok";
  }

  static String once(String url, String autosave, boolean block, String cols, int threshold, String spoil) throws Exception {
    Properties p = new Properties();
    p.setProperty("user", "tester");
    p.setProperty("password", "");
    p.setProperty("autosave", autosave);
    p.setProperty("prepareThreshold", String.valueOf(threshold));
    try (Connection c = DriverManager.getConnection(url, p); Connection other = DriverManager.getConnection(url, p)) {
      try (Statement s = other.createStatement()) {
        s.execute("DROP TABLE IF EXISTS jd2");
        s.execute("CREATE TABLE jd2 (k INT PRIMARY KEY, x VARCHAR(10))");
        s.execute("INSERT INTO jd2 VALUES (1, 'a')");
      }
      c.setAutoCommit(!block);
      try (PreparedStatement q = c.prepareStatement("SELECT " + cols + " FROM jd2 WHERE k = 1")) {
        for (int i = 0; i < 2; i++) q.executeQuery().close();
        if (block) c.commit();
        boolean here = !spoil.startsWith("ALTER");
        try (Statement s = (here ? c : other).createStatement()) {
          s.execute(spoil);
        }
        try (ResultSet r = q.executeQuery()) {
          return r.next() && r.getInt(1) == 1 ? "ok" : "no row";
        } catch (SQLException e) {
          return e.getSQLState();
        } finally {
          if (block) c.rollback();
        }
      }
    }
  }

  public static void main(String[] args) throws Exception {
    run(args[0]);
  }
}
