Document parse(InputStream leaflet) throws IOException {
    try {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        factory.setIgnoringComments(true);
        DocumentBuilder builder = factory.newDocumentBuilder();
        builder.setErrorHandler(null);
        return builder.parse(leaflet);
    } catch (ParserConfigurationException | SAXException wrong) {
        throw new IOException("this is no leaflet", wrong);
    }
}
