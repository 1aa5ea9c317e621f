private boolean testValidProtocol(Element el, Attribute attr, Set<Protocol> protocols) {
    String value = el.absUrl(attr.getKey());
    if (value.length() == 0)
        value = attr.getValue();
    if (!preserveRelativeLinks)
        attr.setValue(value);
    for (Protocol protocol : protocols) {
        String prot = protocol.toString();
        if (prot.equals("#")) {
            if (isValidAnchor(value))
                return true;
        } else if (value.startsWith(prot + ":")) {
            return true;
        }
    }
    return false;
}
