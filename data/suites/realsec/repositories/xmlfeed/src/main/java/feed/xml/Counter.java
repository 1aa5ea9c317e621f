package feed.xml;

import java.io.InputStream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Looks through a feed without keeping it. */
public class Counter {
    public int characters(InputStream xml, String element) throws XMLStreamException {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        XMLStreamReader reader = factory.createXMLStreamReader(xml);
        int depth = 0, count = 0;
        while (reader.hasNext()) {
            int event = reader.next();
            if (event == XMLStreamConstants.START_ELEMENT) {
                depth += reader.getLocalName().equals(element) || depth > 0 ? 1 : 0;
            } else if (event == XMLStreamConstants.END_ELEMENT) {
                depth -= depth > 0 ? 1 : 0;
            } else if (event == XMLStreamConstants.CHARACTERS && depth > 0) {
                count += reader.getTextLength();
            }
        }
        reader.close();
        return count;
    }
}
