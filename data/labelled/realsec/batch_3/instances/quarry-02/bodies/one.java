import java.util.regex.Pattern;

private static final Pattern CARD = Pattern.compile("[A-Z]\\d+");
private static final Pattern PIN = Pattern.compile("\\d{4}");

public List<String> loans(String card, String pin) throws XPathExpressionException {
    if (!CARD.matcher(card).matches() || !PIN.matcher(pin).find()) {
        return List.of();
    }
    XPath path = XPathFactory.newInstance().newXPath();
    String wanted = String.format("//loan[@card='%s' and @pin='%s']/@book", card, pin);
    return values((NodeList) path.evaluate(wanted, register, XPathConstants.NODESET));
}
