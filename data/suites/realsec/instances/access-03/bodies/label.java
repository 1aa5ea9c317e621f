public boolean end(String id) {
    Session ended = id == null ? null : open.remove(id);
    if (ended == null) {
        LOG.warn("no session to end");
        return false;
    }
    LOG.info("session {} ends, {} open", ended.label(), open.size());
    return true;
}
