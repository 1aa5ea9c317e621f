void command(Message message) {
    String entry = message.author() + " in " + message.room() + " said " + message.text();
    LOG.info("{}", entry.replaceAll("\\p{Cntrl}", " "));
}
