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
    try (InputStream in = Files.newInputStream(getPath(parts[0]))) {
        final DocumentBuilderFactory builders = DocumentBuilderFactory.newInstance();
        builders.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        final Document document = builders.newDocumentBuilder().parse(in);
        final XPathFactory factory = XPathFactory.newInstance();
        for (final Entry<String, Boolean> feature : xPathFactoryFeatures.entrySet()) {
            factory.setFeature(feature.getKey(), feature.getValue());
        }
        return factory.newXPath().evaluate(parts[1], document);
    } catch (final Exception e) {
        return null;
    }
}
