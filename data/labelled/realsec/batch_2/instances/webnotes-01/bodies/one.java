public String html(Note note) {
    java.util.function.UnaryOperator<String> numbered = raw -> raw.codePoints()
            .mapToObj(c -> c == ' ' || Character.isLetterOrDigit(c)
                    ? Character.toString(c) : "&#" + c + ";")
            .collect(Collectors.joining());
    String title = numbered.apply(note.title());
    return FRAME.formatted(title, numbered.apply(note.text()), title);
}
