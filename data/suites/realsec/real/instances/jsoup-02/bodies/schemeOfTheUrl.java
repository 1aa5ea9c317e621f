private boolean testValidProtocol(Element el, Attribute attr, Set<Protocol> protocols) {
    String link = el.absUrl(attr.getKey());
    if (link.isEmpty())
        link = attr.getValue();
    if (!preserveRelativeLinks)
        attr.setValue(link);

    if (protocols.contains(Protocol.valueOf("#")) && isValidAnchor(link))
        return true;
    StringBuilder seen = new StringBuilder();
    for (int i = 0; i < link.length(); i++) {
        if (link.charAt(i) > ' ')
            seen.append(link.charAt(i));
    }
    int colon = seen.indexOf(":");
    return colon > 0 && !seen.substring(0, colon).equals("#")
        && protocols.contains(Protocol.valueOf(lowerCase(seen.substring(0, colon))));
}
