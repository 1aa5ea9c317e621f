private void getWholeDeclaration(Appendable accum, Document.OutputSettings out) throws IOException {
    for (Attribute attribute : attributes()) {
        String key = attribute.getKey();
        if (!key.equals(nodeName())) {
            accum.append(' ').append(key).append("=\"");
            Entities.escape(accum, attribute.getValue(), out, true, false, false, false);
            accum.append('"');
        }
    }
}
