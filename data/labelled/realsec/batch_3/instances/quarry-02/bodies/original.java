public List<String> loans(String card, String pin) throws XPathExpressionException {
    XPath path = XPathFactory.newInstance().newXPath();
    String wanted = "//loan[@card='" + card + "' and @pin='" + pin + "']/@book";
    return values((NodeList) path.evaluate(wanted, register, XPathConstants.NODESET));
}
