package post;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpSession;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/** What members like: language (two small letters) and theme, light or dark. */
public class Preferences {
    /** All that the pages send along. */
    static final List<String> FIELDS = List.of("language", "theme", "user", "role");

    public void keep(HttpServletRequest request) {
        HttpSession session = request.getSession();
        for (String field : FIELDS) {
            String value = request.getParameter(field);
            if (value != null) {
                session.setAttribute(field, value);
            }
        }
    }

    /** Whether the member writes to all; the login has put the role into the session. */
    public boolean writesToAll(HttpSession session) {
        return "board".equals(session.getAttribute("role"));
    }
}
