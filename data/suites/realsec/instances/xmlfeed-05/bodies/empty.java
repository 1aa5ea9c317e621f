public int take(String xml) throws IOException {
    try {
        Feed feed = parser.parse(xml);
        String supplier = feed.supplier().replaceAll("\\R", " ");
        LOG.info("supplier {} sent {} products", supplier, feed.products().size());
        return feed.products().size();
    } catch (IOException broken) {
        return 0;
    }
}
