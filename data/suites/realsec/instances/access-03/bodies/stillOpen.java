public boolean end(String id) {
    Session ended = find(id);
    if (ended == null) {
        LOG.warn("no session to end");
        return false;
    }
    LOG.info("session of {} ends, {} open", ended.user(), open.size());
    return true;
}
