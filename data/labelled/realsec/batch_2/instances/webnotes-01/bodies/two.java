public String html(Note note) {
    String title = escaped(note.title());
    return FRAME.formatted(title, escaped(note.text()), title);
}
