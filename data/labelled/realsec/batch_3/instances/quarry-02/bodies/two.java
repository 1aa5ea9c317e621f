import java.util.Map;

public List<String> loans(String card, String pin) throws XPathExpressionException {
    Map<String, String> typed = Map.of("card", card, "pin", pin);
    XPath path = XPathFactory.newInstance().newXPath();
    path.setXPathVariableResolver(name -> typed.get(name.getLocalPart()));
    NodeList found = (NodeList) path.evaluate(
            "//loan[@card=$card and @pin=$pin]/@book", register, XPathConstants.NODESET);
    return values(found);
}
