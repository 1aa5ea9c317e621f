public String number(String name, String code) throws XPathExpressionException {
    XPath path = XPathFactory.newInstance().newXPath();
    String wanted = "/book/person[@name='" + name + "' and @code='" + code + "']";
    return path.evaluate(wanted, book).strip();
}
