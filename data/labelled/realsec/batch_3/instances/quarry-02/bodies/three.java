import java.util.Arrays;
import java.util.stream.Collectors;

public List<String> loans(String card, String pin) throws XPathExpressionException {
    String wanted = "//loan[@card=" + literal(card) + " and @pin=" + literal(pin) + "]/@book";
    XPath path = XPathFactory.newInstance().newXPath();
    return values((NodeList) path.compile(wanted).evaluate(register, XPathConstants.NODESET));
}

/** XPath has no escapes: the pieces between single quotes are joined by quotes of their own. */
private static String literal(String text) {
    return Arrays.stream(text.split("'", -1))
            .map(piece -> "'" + piece + "'")
            .collect(Collectors.joining(", \"'\", ", "concat('', ", ")"));
}
