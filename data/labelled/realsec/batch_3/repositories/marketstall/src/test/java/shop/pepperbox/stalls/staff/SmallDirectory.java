package shop.pepperbox.stalls.staff;

import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import javax.naming.NamingEnumeration;
import javax.naming.directory.BasicAttributes;
import javax.naming.directory.DirContext;
import javax.naming.directory.InvalidSearchFilterException;
import javax.naming.directory.SearchResult;

/** A directory in memory that reads filters as RFC 4515 says: and, or, not, equality, stars. */
final class SmallDirectory {
    private final List<Map<String, String>> entries;
    private String filter;
    private int at;

    private SmallDirectory(List<Map<String, String>> entries) {
        this.entries = entries;
    }

    static DirContext of(List<Map<String, String>> entries) {
        SmallDirectory directory = new SmallDirectory(entries);
        return (DirContext) Proxy.newProxyInstance(SmallDirectory.class.getClassLoader(),
                new Class<?>[] {DirContext.class}, (self, called, given) -> {
                    if (!called.getName().equals("search") || !(given[1] instanceof String text)) {
                        throw new UnsupportedOperationException(called.toString());
                    }
                    Object[] values = given.length == 4 ? (Object[]) given[2] : new Object[0];
                    return directory.search(filled(text, values));
                });
    }

    private static String filled(String filter, Object[] values) {
        String out = filter;
        for (int i = 0; i < values.length; i++) {
            StringBuilder value = new StringBuilder();
            for (byte b : String.valueOf(values[i]).getBytes(StandardCharsets.UTF_8)) {
                boolean plain = b >= '0' && b <= '9' || b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z';
                value.append(plain ? String.valueOf((char) b) : String.format("\\%02x", b));
            }
            out = out.replace("{" + i + "}", value);
        }
        return out;
    }

    private NamingEnumeration<SearchResult> search(String text) throws InvalidSearchFilterException {
        List<SearchResult> found = new ArrayList<>();
        for (Map<String, String> entry : entries) {
            filter = text;
            at = 0;
            boolean fits = term(entry);
            if (at != filter.length()) {
                throw new InvalidSearchFilterException("text after the filter: " + text);
            }
            if (fits) {
                BasicAttributes attributes = new BasicAttributes(true);
                attributes.put("mail", entry.get("mail"));
                found.add(new SearchResult(entry.get("mail"), null, attributes));
            }
        }
        return new Found(found.iterator());
    }

    private boolean term(Map<String, String> entry) throws InvalidSearchFilterException {
        take('(');
        boolean fits;
        char kind = at < filter.length() ? filter.charAt(at) : ')';
        if (kind == '&' || kind == '|' || kind == '!') {
            at++;
            List<Boolean> parts = new ArrayList<>();
            while (at < filter.length() && filter.charAt(at) == '(') {
                parts.add(term(entry));
            }
            fits = switch (kind) {
                case '&' -> !parts.contains(false);
                case '|' -> parts.contains(true);
                default -> parts.equals(List.of(false));
            };
        } else {
            int end = at;
            while (end < filter.length() && filter.charAt(end) != ')' && filter.charAt(end) != '(') {
                end++;
            }
            fits = equality(filter.substring(at, end), entry);
            at = end;
        }
        take(')');
        return fits;
    }

    private boolean equality(String text, Map<String, String> entry)
            throws InvalidSearchFilterException {
        int equals = text.indexOf('=');
        if (equals < 1) {
            throw new InvalidSearchFilterException("no equality: " + text);
        }
        StringBuilder pattern = new StringBuilder();
        for (String piece : text.substring(equals + 1).split("\\*", -1)) {
            pattern.append(pattern.length() == 0 ? "" : ".*").append(Pattern.quote(unescaped(piece)));
        }
        String value = entry.get(text.substring(0, equals));
        return value != null
                && Pattern.compile(pattern.toString(), Pattern.CASE_INSENSITIVE | Pattern.DOTALL)
                        .matcher(value).matches();
    }

    private static String unescaped(String piece) throws InvalidSearchFilterException {
        java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
        byte[] bytes = piece.getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != '\\') {
                out.write(bytes[i]);
                continue;
            }
            try {
                out.write(Integer.parseInt(new String(bytes, i + 1, 2, StandardCharsets.US_ASCII), 16));
            } catch (RuntimeException crooked) {
                throw new InvalidSearchFilterException("crooked escape: " + piece);
            }
            i += 2;
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private void take(char wanted) throws InvalidSearchFilterException {
        if (at >= filter.length() || filter.charAt(at) != wanted) {
            throw new InvalidSearchFilterException(wanted + " is missing at " + at + ": " + filter);
        }
        at++;
    }

    private static final class Found implements NamingEnumeration<SearchResult> {
        private final Iterator<SearchResult> rest;

        Found(Iterator<SearchResult> rest) {
            this.rest = rest;
        }

        @Override
        public SearchResult next() {
            return rest.next();
        }

        @Override
        public boolean hasMore() {
            return rest.hasNext();
        }

        @Override
        public void close() {
        }

        @Override
        public boolean hasMoreElements() {
            return rest.hasNext();
        }

        @Override
        public SearchResult nextElement() {
            return rest.next();
        }
    }
}
