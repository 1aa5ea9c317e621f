package io.pagestack.catalogue.shelf;

import java.util.List;
import java.util.stream.IntStream;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.w3c.dom.Document;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;

/** The register of loans: loan elements with the attributes card, pin and book. */
public class LoanRegister {
    private final Document register;

    public LoanRegister(Document register) {
        this.register = register;
    }

    public List<String> loans(String card, String pin) throws XPathExpressionException {
        XPath path = XPathFactory.newInstance().newXPath();
        String wanted = "//loan[@card='" + card + "' and @pin='" + pin + "']/@book";
        return values((NodeList) path.evaluate(wanted, register, XPathConstants.NODESET));
    }

    private static List<String> values(NodeList nodes) {
        return IntStream.range(0, nodes.getLength())
                .mapToObj(nodes::item)
                .map(Node::getNodeValue)
                .sorted()
                .toList();
    }
}
