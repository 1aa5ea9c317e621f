public int characters(InputStream xml, String element) throws XMLStreamException {
    XMLInputFactory factory = XMLInputFactory.newFactory();
    factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
    XMLStreamReader reader = factory.createXMLStreamReader(xml);
    boolean inside = false;
    int count = 0;
    while (reader.hasNext()) {
        int event = reader.next();
        if (event == XMLStreamConstants.START_ELEMENT) {
            inside = reader.getLocalName().equals(element);
        } else if (event == XMLStreamConstants.END_ELEMENT) {
            inside = false;
        } else if (event == XMLStreamConstants.CHARACTERS && inside) {
            count += reader.getTextLength();
        }
    }
    return count;
}
