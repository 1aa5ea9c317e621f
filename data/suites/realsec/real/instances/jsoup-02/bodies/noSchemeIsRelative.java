private boolean testValidProtocol(Element el, Attribute attr, Set<Protocol> protocols) {
    String value = attr.getValue();
    boolean relative = !value.matches("(?s)[a-zA-Z][a-zA-Z0-9+.-]*:.*");
    String abs = el.absUrl(attr.getKey());
    if (preserveRelativeLinks) {
        if (relative && !value.startsWith("#"))
            return true;
    } else if (!abs.isEmpty()) {
        value = abs;
        attr.setValue(value);
    }
    for (Protocol protocol : protocols) {
        String prot = protocol.toString();
        if (prot.equals("#")) {
            if (isValidAnchor(value))
                return true;
        } else if (lowerCase(value).startsWith(prot + ":")) {
            return true;
        }
    }
    return false;
}
