package io.pagestack.catalogue.intake;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** Reads what publishers send: leaflets with a book element for each title. */
public class LeafletReader {
    public List<Title> titles(InputStream leaflet) throws IOException {
        NodeList books = parse(leaflet).getElementsByTagName("book");
        return IntStream.range(0, books.getLength())
                .mapToObj(books::item)
                .map(Element.class::cast)
                .map(LeafletReader::title)
                .sorted()
                .toList();
    }

    Document parse(InputStream leaflet) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setIgnoringComments(true);
            DocumentBuilder builder = factory.newDocumentBuilder();
            builder.setErrorHandler(null);
            return builder.parse(leaflet);
        } catch (ParserConfigurationException | SAXException wrong) {
            throw new IOException("this is no leaflet", wrong);
        }
    }

    private static Title title(Element book) {
        String pages = book.getAttribute("pages");
        return new Title(text(book, "name"), text(book, "author"),
                pages.isEmpty() ? 0 : Integer.parseInt(pages));
    }

    private static String text(Element book, String name) {
        NodeList found = book.getElementsByTagName(name);
        return found.getLength() == 0 ? "" : found.item(0).getTextContent().strip();
    }
}
