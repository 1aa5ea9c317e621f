package dir;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.xml.namespace.QName;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** Home phone numbers, &lt;person name="" code=""&gt;number&lt;/person&gt;; who knows the code gets one. */
public class PhoneBook implements LookUp {
    private final Document book;

    public PhoneBook(Document book) {
        this.book = book;
    }

    @Override
    public List<String> find(List<String> words) throws XPathExpressionException {
        String number = number(words.get(0), words.get(1));
        return number.isEmpty() ? List.of() : List.of(number);
    }

    public String number(String name, String code) throws XPathExpressionException {
        XPath path = XPathFactory.newInstance().newXPath();
        String wanted = "/book/person[@name='" + name + "' and @code='" + code + "']";
        return path.evaluate(wanted, book).strip();
    }

    public int size() {
        return book.getElementsByTagName("person").getLength();
    }
}
