Document document() throws IOException {
    try {
        DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        builder.setErrorHandler(null);
        builder.setEntityResolver((publicId, systemId) -> new InputSource(new StringReader("")));
        return builder.parse(new InputSource(new StringReader(text)));
    } catch (ParserConfigurationException | SAXException broken) {
        throw new IOException("not the XML that was expected", broken);
    }
}
