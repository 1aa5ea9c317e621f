public String html(Note note) {
    String title = note.title().replace("<", "&lt;").replace(">", "&gt;");
    return FRAME.formatted(title, escaped(note.text()), title);
}
