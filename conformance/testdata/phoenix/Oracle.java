import java.io.*;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.sql.*;
import java.text.SimpleDateFormat;
import java.util.*;
import org.apache.hadoop.hbase.Cell;
import org.apache.hadoop.hbase.client.*;
import org.apache.hadoop.hbase.util.Bytes;
import org.apache.phoenix.jdbc.PhoenixConnection;

/** Oracle HOST:PORT < lines: asks a running Apache Phoenix. A line is a statement; "SCAN table", which prints the cells of a storage
 *  table; "PUT table key family qualifier value" (hexadecimal digits but for the table), which writes one; or "TENANT id", by which
 *  the lines that follow are the tenant's. UPSERTs and PUTs go together until another line comes. Lines but those are printed
 *  before their answers: cells as "  table key family qualifier value", rows as "  |value|value|" with values in full. */
public class Oracle {
  static String hex(byte[] b, int o, int n) {
    StringBuilder s = new StringBuilder();
    for (int i = 0; i < n; i++) s.append(String.format("%02X", b[o + i]));
    return s.toString();
  }

  static byte[] bytes(String hex) {
    byte[] b = new byte[hex.length() / 2];
    for (int i = 0; i < b.length; i++) b[i] = (byte) Integer.parseInt(hex.substring(2 * i, 2 * i + 2), 16);
    return b;
  }

  static String text(Object v) throws SQLException {
    if (v == null) return "null";
    if (v instanceof byte[]) return hex((byte[]) v, 0, ((byte[]) v).length);
    if (v instanceof BigDecimal) return ((BigDecimal) v).toPlainString();
    if (v instanceof Timestamp) return v.toString();
    if (v instanceof java.util.Date) return new SimpleDateFormat("yyyy-MM-dd HH:mm:ss.SSS").format(v);
    if (!(v instanceof java.sql.Array)) return v.toString();
    Object list = ((java.sql.Array) v).getArray();
    StringBuilder s = new StringBuilder("[");
    for (int i = 0; i < java.lang.reflect.Array.getLength(list); i++) s.append(i > 0 ? "," : "").append(text(java.lang.reflect.Array.get(list, i)));
    return s.append("]").toString();
  }

  static java.sql.Connection open(String host, String tenant) throws SQLException {
    Properties p = new Properties();
    if (!tenant.isEmpty()) p.setProperty("TenantId", tenant);
    java.sql.Connection c = DriverManager.getConnection("jdbc:phoenix:" + host + ":/hbase", p);
    c.setAutoCommit(false);
    return c;
  }

  public static void main(String[] a) throws Exception {
    java.sql.Connection c = open(a[0], "");
    Map<String, List<Put>> puts = new LinkedHashMap<>();
    BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    PrintStream out = new PrintStream(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), 1 << 16), false, "UTF-8");
    for (String q; (q = in.readLine()) != null; ) {
      if (q.isBlank()) continue;
      try {
        if (q.startsWith("UPSERT INTO") && !q.contains(" NEXT VALUE ")) {
          try (Statement s = c.createStatement()) { s.execute(q); }
          continue;
        }
        if (q.startsWith("PUT ")) {
          String[] p = q.split(" ", -1);
          Put put = new Put(bytes(p[2]));
          put.addColumn(bytes(p[3]), bytes(p[4]), bytes(p[5]));
          puts.computeIfAbsent(p[1], t -> new ArrayList<>()).add(put);
          continue;
        }
        c.commit();
        for (Map.Entry<String, List<Put>> e : puts.entrySet())
          try (Table h = c.unwrap(PhoenixConnection.class).getQueryServices().getTable(Bytes.toBytes(e.getKey()))) { h.put(e.getValue()); }
        puts.clear();
        out.println(q);
        if (q.startsWith("TENANT")) {
          c.close();
          c = open(a[0], q.substring(6).trim());
          continue;
        }
        if (q.startsWith("SCAN ")) {
          String t = q.substring(5).trim();
          try (Table h = c.unwrap(PhoenixConnection.class).getQueryServices().getTable(Bytes.toBytes(t)); ResultScanner r = h.getScanner(new Scan())) {
            for (Result x : r)
              for (Cell k : x.rawCells())
                out.println("  " + t + " " + hex(k.getRowArray(), k.getRowOffset(), k.getRowLength()) + " " + hex(k.getFamilyArray(), k.getFamilyOffset(), k.getFamilyLength()) + " "
                    + hex(k.getQualifierArray(), k.getQualifierOffset(), k.getQualifierLength()) + " " + hex(k.getValueArray(), k.getValueOffset(), k.getValueLength()));
          }
          out.flush();
          continue;
        }
        try (Statement s = c.createStatement()) {
          if (!s.execute(q)) {
            c.commit();
            out.flush();
            continue;
          }
          ResultSet r = s.getResultSet();
          int n = r.getMetaData().getColumnCount();
          while (r.next()) {
            StringBuilder l = new StringBuilder("  |");
            for (int i = 1; i <= n; i++) l.append(text(r.getObject(i))).append('|');
            out.println(l);
          }
        }
      } catch (Exception e) {
        out.println("  ERROR " + e.getMessage().split("\n")[0] + " IN " + q);
        c.rollback();
      }
      out.flush();
    }
    c.commit();
    out.flush();
    System.exit(0);
  }
}
