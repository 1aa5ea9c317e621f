package ledger;

import static org.junit.jupiter.api.Assertions.*;

import java.util.List;
import java.util.NoSuchElementException;
import ledger.model.Account;
import ledger.model.Posting;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class StatementsTest {
    private final Journal journal = new Journal();
    private final Statements statements = new Statements(journal);

    @BeforeEach
    void fill() {
        journal.open(new Account("k1", "ina"));
        journal.open(new Account("k2", "ina"));
        journal.open(new Account("k3", "rolf"));
        journal.post(new Posting("k1", 500, "dues"));
        journal.post(new Posting("k1", -120, "tea"));
        journal.post(new Posting("k3", 900, "gift"));
    }

    @Test
    void showsPostings() {
        assertEquals(List.of("dues +500", "tea -120"), statements.statement("ina", "k1"));
        assertEquals(List.of(), statements.statement("ina", "k2"));
        assertEquals(List.of("gift +900"), statements.statement("rolf", "k3"));
    }

    @Test
    void unknownAccounts() {
        assertThrows(NoSuchElementException.class, () -> statements.statement("ina", "k9"));
    }

    private void shut(String member, String id) {
        List<String> shown;
        try {
            shown = statements.statement(member, id);
        } catch (RuntimeException refused) {
            shown = List.of();
        }
        assertEquals(List.of(), shown);
    }

    @Test
    void rolfDoesNotReadInas() {
        shut("rolf", "k1");
        shut("ina", "k3");
    }

    @Test
    void norDoStrangers() {
        shut("eve", "k1");
        shut("", "k3");
    }
}
