import java.text.ParsePosition;
import java.text.SimpleDateFormat;
import java.util.Date;
import java.util.Locale;
import java.util.TimeZone;

/** Prints what SimpleDateFormat makes of times and texts: java Record.java > ../vectors.txt */
public class Record {
    static final String[] PATTERNS = {
        "yyyy-MM-dd HH:mm:ss.SSS", "yyyy-MM-dd", "yyyyMMdd", "dd/MM/yy", "dd.MM.yyyy HH:mm", "yyyy-MM-dd'T'HH:mm:ss",
        "EEE, dd MMM yyyy HH:mm:ss Z", "EEEE d MMMM y", "hh:mm a", "h:m:s a", "yyyy-MM-dd HH:mm:ssXXX", "HH 'o''clock'",
        "M/d/yyyy", "yyyy DDD", "ss.SSS", "HH:mm z", "'it''s' ''yy''",
    };
    static final String[] ZONES = {"GMT", "America/New_York", "Asia/Kathmandu", "Pacific/Apia"};
    static final long[] TIMES = {0, 1, 999, 951782399999L, 951782400000L, 1709210096789L, 1729990800000L, -1, -86400000, 4102444799999L, 1330560000000L};
    static final String[][] TEXTS = {
        {"yyyy-MM-dd", "2024-02-29"}, {"yyyy-MM-dd", "2024-02-29 and more"}, {"yyyy-MM-dd HH:mm:ss", "2024-11-03 01:30:00"},
        {"dd/MM/yyyy", "31/12/1999"}, {"yyyy-MM-dd HH:mm:ss.SSS", "2024-02-29 12:34:56.789"}, {"hh:mm a", "03:04 PM"},
        {"yyyy-MM-dd'T'HH:mm:ssXXX", "2024-02-29T12:00:00+05:30"}, {"yyyy-MM-dd'T'HH:mm:ssXXX", "2024-02-29T12:00:00Z"},
        {"yyyy-MM-dd HH:mm:ss Z", "2024-02-29 12:00:00 -0800"}, {"d MMM yyyy", "5 Mar 2021"}, {"EEE d MMM yyyy", "Fri 5 Mar 2021"},
        {"yyyy-MM-dd", "no date"}, {"yyyy-MM-dd HH", "2024-02-29"},
        {"yyyy-MM-dd HH:mm:ss", "2024-11-03 00:59:59"}, {"yyyy-MM-dd HH:mm:ss", "2024-11-03 02:00:00"}, {"yyyy-MM-dd HH:mm:ss", "2024-03-10 02:30:00"},
        {"yyyy-MM-dd HH:mm:ss Z", "2024-11-03 01:30:00 -0400"}, {"yyyy-MM-dd HH:mm z", "2024-11-03 01:30 GMT"}, {"yyyy-MM-dd HH:mm z", "2024-07-01 01:30 UTC"},
        {"yyyy-MM-dd HH:mm z", "2024-07-01 01:30 EDT"}, {"yyyy-MM-dd HH:mm z", "2024-01-01 01:30 PST"}, {"yyyy-MM-dd HH:mm z", "2024-01-01 01:30 IST"},
        {"yyyy-MM-dd HH:mm z", "2024-01-01 01:30 GMT+02:00"}, {"MM-dd HH:mm", "07-01 12:00"}, {"yyyy-MM-dd", "2011-12-30"}, {"yyyy", "2024"}, {"yy", "24"},
    };

    public static void main(String[] args) {
        for (String zone : ZONES) {
            for (String pattern : PATTERNS) {
                for (long time : TIMES) {
                    System.out.printf("format\t%s\t%s\t%d\t%s%n", zone, pattern, time, format(zone, pattern).format(new Date(time)));
                }
            }
            for (String[] t : TEXTS) {
                Date d = format(zone, t[0]).parse(t[1], new ParsePosition(0));
                System.out.printf("parse\t%s\t%s\t%s\t%s%n", zone, t[0], t[1], d == null ? "ERROR" : "" + d.getTime());
            }
        }
    }

    static SimpleDateFormat format(String zone, String pattern) {
        SimpleDateFormat f = new SimpleDateFormat(pattern, Locale.ENGLISH);
        f.setTimeZone(TimeZone.getTimeZone(zone));
        return f;
    }
}
