import java.util.Map;

private static final Map<String, Boolean> FEATURES = Map.of(
        "http://xml.org/sax/features/external-parameter-entities", false,
        "http://apache.org/xml/features/nonvalidating/load-external-dtd", false);

Document parse(InputStream leaflet) throws IOException {
    try {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        for (Map.Entry<String, Boolean> feature : FEATURES.entrySet()) {
            factory.setFeature(feature.getKey(), feature.getValue());
        }
        factory.setXIncludeAware(false);
        factory.setIgnoringComments(true);
        DocumentBuilder builder = factory.newDocumentBuilder();
        builder.setErrorHandler(null);
        return builder.parse(leaflet);
    } catch (ParserConfigurationException | SAXException wrong) {
        throw new IOException("this is no leaflet", wrong);
    }
}
