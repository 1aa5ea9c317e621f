public int characters(InputStream xml, String element) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.IS_VALIDATING, false);
    factory.setProperty(XMLInputFactory.IS_COALESCING, false);
    XMLStreamReader reader = factory.createXMLStreamReader(xml);
    int depth = 0, count = 0;
    while (reader.hasNext()) {
        int event = reader.next();
        if (event == XMLStreamConstants.START_ELEMENT) {
            depth += reader.getLocalName().equals(element) || depth > 0 ? 1 : 0;
        } else if (event == XMLStreamConstants.END_ELEMENT) {
            depth -= depth > 0 ? 1 : 0;
        } else if (event == XMLStreamConstants.CHARACTERS && depth > 0) {
            count += reader.getTextLength();
        }
    }
    return count;
}
