public String number(String name, String code) throws XPathExpressionException {
    XPath path = XPathFactory.newInstance().newXPath();
    String plain = name.replaceAll("['\"\\[\\]|]", "");
    String wanted = "/book/person[@name='" + plain + "' and @code='" + code.trim() + "']";
    return path.evaluate(wanted, book).strip();
}
