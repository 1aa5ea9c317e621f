package ledger;

import java.util.List;
import java.util.NoSuchElementException;
import ledger.model.Posting;

/** Statements for members. */
public class Statements {
    private final Journal journal;

    public Statements(Journal journal) {
        this.journal = journal;
    }

    public List<String> statement(String member, String id) {
        return journal.of(journal.account(id).id()).stream().map(Statements::line).toList();
    }

    static String line(Posting posting) {
        return "%s %+d".formatted(posting.text(), posting.cents());
    }
}
