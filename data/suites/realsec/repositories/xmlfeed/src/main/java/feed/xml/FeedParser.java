package feed.xml;

import feed.model.Feed;
import feed.model.Product;
import java.io.IOException;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;
import org.xml.sax.SAXException;

/** Reads a whole feed into memory. */
public class FeedParser {
    private final Documents documents = new Documents();

    public Feed parse(String xml) throws IOException {
        try {
            Document document = documents.read(new InputSource(new StringReader(xml)));
            Element root = document.getDocumentElement();
            List<Product> products = new ArrayList<>();
            NodeList nodes = root.getElementsByTagName("product");
            for (int i = 0; i < nodes.getLength(); i++) {
                products.add(product((Element) nodes.item(i)));
            }
            return new Feed(root.getAttribute("supplier"), products);
        } catch (SAXException | ParserConfigurationException wrong) {
            throw new IOException("not a feed", wrong);
        }
    }

    private static Product product(Element element) {
        String stock = element.getAttribute("stock");
        return new Product(element.getAttribute("code"), element.getTextContent().strip(),
                stock.isEmpty() ? 0 : Integer.parseInt(stock));
    }
}
