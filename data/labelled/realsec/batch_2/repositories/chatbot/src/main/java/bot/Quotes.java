package bot;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Quotes that the room likes. */
public class Quotes {
    private static final Pattern QUOTED = Pattern.compile("(['\"])((?:\\w+\\s?)*)\\1");
    private static final int LONGEST = 2000;
    private final List<String> quotes = new ArrayList<>();

    public boolean add(String typed) {
        String quote = inner(typed);
        if (quote == null) {
            return false;
        }
        quotes.add(quote);
        return true;
    }

    String inner(String typed) {
        Matcher matcher = QUOTED.matcher(typed);
        return matcher.matches() && typed.length() <= LONGEST ? matcher.group(2) : null;
    }

    public List<String> all() {
        return List.copyOf(quotes);
    }
}
