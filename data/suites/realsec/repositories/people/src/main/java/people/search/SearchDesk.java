package people.search;

import java.sql.SQLException;

/** Answers the line that was typed into the search field. */
public class SearchDesk {
    private final Census census;

    public SearchDesk(Census census) {
        this.census = census;
    }

    public String answer(String line) throws SQLException {
        Wanted wanted = Wanted.parse(line);
        int found = census.count(wanted);
        return found + " of " + census.all() + " in " + wanted.city();
    }
}
