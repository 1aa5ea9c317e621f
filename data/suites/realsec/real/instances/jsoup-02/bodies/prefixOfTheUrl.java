private boolean testValidProtocol(Element el, Attribute attr, Set<Protocol> protocols) {
    String value = el.absUrl(attr.getKey());
    if (value.isEmpty())
        value = attr.getValue();
    if (!preserveRelativeLinks)
        attr.setValue(value);

    String lower = lowerCase(value);
    for (Protocol protocol : protocols) {
        String name = protocol.toString();
        if (name.equals("#")) {
            if (isValidAnchor(value))
                return true;
        } else if (lower.startsWith(name)) {
            return true;
        }
    }
    return false;
}
