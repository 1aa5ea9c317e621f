public String number(String name, String code) throws XPathExpressionException {
    if (!(name + code).chars().allMatch(Character::isLetterOrDigit)) {
        return "";
    }
    XPath path = XPathFactory.newInstance().newXPath();
    String wanted = "/book/person[@name='" + name + "' and @code='" + code + "']";
    return path.evaluate(wanted, book).strip();
}
