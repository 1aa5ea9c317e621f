package notes;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.atomic.AtomicInteger;

/** All notes, in memory. */
public class NoteStore {
    private final Map<Integer, Note> notes = new ConcurrentSkipListMap<>();
    private final AtomicInteger last = new AtomicInteger();

    public Note add(String author, String title, String text) {
        Note note = new Note(last.incrementAndGet(), author, title, text);
        notes.put(note.number(), note);
        return note;
    }

    public Optional<Note> find(int number) {
        return Optional.ofNullable(notes.get(number));
    }
}
