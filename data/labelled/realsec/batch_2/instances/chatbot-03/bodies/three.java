void command(Message message) {
    StringBuilder entry = new StringBuilder();
    String raw = message.author() + " in " + message.room() + " said " + message.text();
    for (char c : raw.toCharArray()) {
        entry.append(Character.isISOControl(c) ? "\\u%04x".formatted((int) c) : String.valueOf(c));
    }
    LOG.info("" + entry);
}
