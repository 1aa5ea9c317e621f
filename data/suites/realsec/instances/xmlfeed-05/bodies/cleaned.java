public int take(String xml) throws IOException {
    Feed feed = parser.parse(xml);
    cache.put(Integer.toHexString(feed.supplier().hashCode()), feed);
    String supplier = feed.supplier().replaceAll("[\\r\\n\\t]", " ");
    LOG.info("supplier {} sent {} products", supplier, feed.products().size());
    return feed.products().size();
}
