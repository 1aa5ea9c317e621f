import javax.xml.parsers.DocumentBuilderFactory;
import org.w3c.dom.Document;

@Override
public String lookup(final String key) {
    if (key == null) {
        return null;
    }
    final String[] parts = key.split(SPLIT_STR);
    if (parts.length != 2) {
        throw IllegalArgumentExceptions.format("Bad XML key format [%s]; expected format is DocumentPath:XPath.", key);
    }
    final String documentPath = parts[0];
    final String xpath = parts[1];
    try (InputStream in = Files.newInputStream(getPath(documentPath))) {
        final Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(in);
        final XPathFactory factory = XPathFactory.newInstance();
        for (final Map.Entry<String, Boolean> feature : xPathFactoryFeatures.entrySet()) {
            factory.setFeature(feature.getKey(), feature.getValue());
        }
        return factory.newXPath().compile(xpath).evaluate(document);
    } catch (final Exception e) {
        throw IllegalArgumentExceptions.format(e, "Error looking up XML document [%s] and XPath [%s].", documentPath, xpath);
    }
}
