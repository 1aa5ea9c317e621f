public int take(String xml) throws IOException {
    Feed feed = parser.parse(xml);
    cache.put(Integer.toHexString(feed.supplier().hashCode()), feed);
    LOG.info("supplier {} sent {} products", feed.supplier(), feed.products().size());
    return feed.products().size();
}
