package badge;

import java.time.LocalDate;

/** What a badge says. */
public record Badge(String visitor, String host, LocalDate day) {
    String line() {
        return visitor + "|" + host + "|" + day;
    }

    static Badge parse(String line) {
        String[] parts = line.split("\\|", 3);
        return new Badge(parts[0], parts[1], LocalDate.parse(parts[2]));
    }
}
