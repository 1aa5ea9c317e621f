import java.io.StringReader;
import javax.xml.parsers.DocumentBuilder;
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
        final XPathFactory factory = XPathFactory.newInstance();
        for (final Entry<String, Boolean> feature : xPathFactoryFeatures.entrySet()) {
            factory.setFeature(feature.getKey(), feature.getValue());
        }
        final DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        builder.setEntityResolver((publicId, systemId) -> new InputSource(new StringReader("")));
        return factory.newXPath().evaluate(parts[1], builder.parse(in));
    } catch (final Exception e) {
        throw IllegalArgumentExceptions.format(e, "Error looking up XML document [%s] and XPath [%s].", parts[0], parts[1]);
    }
}
