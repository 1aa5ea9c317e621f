package depot.web;

import depot.store.Depot;
import java.io.IOException;

/** Removes files and keeps book of the reasons. */
class Removals {
    private final Depot depot;
    private final Journal journal;

    Removals(Depot depot, Journal journal) {
        this.depot = depot;
        this.journal = journal;
    }

    void remove(String name, String reason) throws IOException {
        depot.delete(name);
        journal.note(new Removal(name, reason == null ? "none given" : reason));
    }
}
