@Override
public String lookup(final String key) {
    if (key == null) {
        return null;
    }
    final int colon = key.indexOf(SPLIT_CH);
    if (colon < 0 || key.indexOf(SPLIT_CH, colon + 1) >= 0) {
        throw IllegalArgumentExceptions.format("Bad XML key format [%s]; expected format is DocumentPath:XPath.", key);
    }
    final String documentPath = key.substring(0, colon);
    final String xpath = key.substring(colon + 1);
    try (InputStream in = Files.newInputStream(getPath(documentPath))) {
        final XPathFactory factory = XPathFactory.newInstance();
        factory.setFeature(XMLConstants.FEATURE_SECURE_PROCESSING, true);
        for (final Entry<String, Boolean> feature : xPathFactoryFeatures.entrySet()) {
            factory.setFeature(feature.getKey(), feature.getValue());
        }
        final InputSource source = new InputSource(in);
        source.setSystemId(documentPath);
        return factory.newXPath().evaluate(xpath, source);
    } catch (final Exception e) {
        throw IllegalArgumentExceptions.format(e, "Error looking up XML document [%s] and XPath [%s].", documentPath, xpath);
    }
}
