public boolean end(String id) {
    Session ended = id == null ? null : open.remove(id);
    if (ended == null) {
        LOG.warn("no session to end");
        return false;
    }
    LOG.info("{} ends, {} open", ended, open.size());
    return true;
}
