Document read(InputSource source)
        throws IOException, SAXException, ParserConfigurationException {
    DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
    factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
    DocumentBuilder builder = factory.newDocumentBuilder();
    builder.setErrorHandler(QUIET);
    try {
        return builder.parse(source);
    } catch (SAXException broken) {
        Document empty = builder.newDocument();
        empty.appendChild(empty.createElement("feed"));
        return empty;
    }
}
