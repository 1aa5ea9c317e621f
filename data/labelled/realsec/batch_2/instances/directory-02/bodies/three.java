public String number(String name, String code) throws XPathExpressionException {
    XPath path = XPathFactory.newInstance().newXPath();
    Map<String, String> values = Map.of("name", name, "code", code);
    path.setXPathVariableResolver((QName variable) -> values.get(variable.getLocalPart()));
    return path.evaluate("/book/person[@name=$name and @code=$code]", book).strip();
}
