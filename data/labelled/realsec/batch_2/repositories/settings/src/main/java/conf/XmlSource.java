package conf;

import java.io.IOException;
import java.io.StringReader;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** Settings that partners send: elements "set" with a name and a text. */
public class XmlSource implements Source {
    private final String text;

    public XmlSource(String text) {
        this.text = text;
    }

    @Override
    public Map<String, String> values() throws IOException {
        Map<String, String> values = new LinkedHashMap<>();
        NodeList sets = document().getElementsByTagName("set");
        for (int i = 0; i < sets.getLength(); i++) {
            Element set = (Element) sets.item(i);
            values.put(set.getAttribute("name"), set.getTextContent().strip());
        }
        return values;
    }

    Document document() throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(null);
            return builder.parse(new InputSource(new StringReader(text)));
        } catch (ParserConfigurationException | SAXException broken) {
            throw new IOException("not the XML that was expected", broken);
        }
    }
}
