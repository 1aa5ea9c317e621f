package notes;

/** A note; title and text are what its author typed. */
public record Note(int number, String author, String title, String text) {
}
