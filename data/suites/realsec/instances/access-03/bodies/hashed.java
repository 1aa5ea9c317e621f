public boolean end(String id) {
    Session ended = id == null ? null : open.remove(id);
    if (ended == null) {
        LOG.warn("no session to end");
        return false;
    }
    String mark = Integer.toHexString(java.util.Objects.hash(ended.id()));
    LOG.info("session #{} of {} ends, {} open", mark, ended.user(), open.size());
    return true;
}
