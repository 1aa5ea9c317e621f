public int characters(InputStream xml, String element) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
    XMLStreamReader reader = factory.createXMLStreamReader(xml);
    int depth = 0, count = 0;
    while (reader.hasNext()) {
        switch (reader.next()) {
            case XMLStreamConstants.START_ELEMENT ->
                    depth += depth > 0 || reader.getLocalName().equals(element) ? 1 : 0;
            case XMLStreamConstants.END_ELEMENT -> depth = Math.max(0, depth - 1);
            case XMLStreamConstants.CHARACTERS -> count += depth > 0 ? reader.getTextLength() : 0;
            default -> { }
        }
    }
    return count;
}
