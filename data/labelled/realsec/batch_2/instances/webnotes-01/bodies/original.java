public String html(Note note) {
    return FRAME.formatted(note.title(), note.text(), note.title());
}
