public boolean end(String id) {
    Session ended = id == null ? null : open.remove(id);
    if (ended == null) {
        LOG.warn("no session to end");
        return false;
    }
    String user = ended.user();
    LOG.info("session {} of {} ends, {} open", ended.id(), user, open.size());
    return true;
}
