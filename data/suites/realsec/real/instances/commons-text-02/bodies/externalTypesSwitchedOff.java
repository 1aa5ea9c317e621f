import javax.xml.parsers.DocumentBuilderFactory;

@Override
public String lookup(final String key) {
    if (key == null) {
        return null;
    }
    final String[] parts = key.split(SPLIT_STR);
    if (parts.length != 2) {
        throw IllegalArgumentExceptions.format("Bad XML key format [%s]; expected format is DocumentPath:XPath.", key);
    }
    try (InputStream in = Files.newInputStream(getPath(parts[0]))) {
        final DocumentBuilderFactory builders = DocumentBuilderFactory.newInstance();
        builders.setFeature("http://apache.org/xml/features/nonvalidating/load-external-dtd", false);
        builders.setFeature("http://xml.org/sax/features/external-parameter-entities", false);
        builders.setXIncludeAware(false);
        final XPathFactory factory = XPathFactory.newInstance();
        for (final Entry<String, Boolean> feature : xPathFactoryFeatures.entrySet()) {
            factory.setFeature(feature.getKey(), feature.getValue());
        }
        return factory.newXPath().evaluate(parts[1], builders.newDocumentBuilder().parse(in));
    } catch (final Exception e) {
        throw IllegalArgumentExceptions.format(e, "Error looking up XML document [%s] and XPath [%s].", parts[0], parts[1]);
    }
}
