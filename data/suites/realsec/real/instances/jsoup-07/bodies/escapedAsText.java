private void getWholeDeclaration(Appendable accum, Document.OutputSettings out) throws IOException {
    for (Attribute attribute : attributes()) {
        String key = attribute.getKey();
        String val = attribute.getValue();
        if (!key.equals(nodeName())) {
            accum.append(' ').append(key);
            if (!val.isEmpty()) {
                accum.append("=\"").append(Entities.escape(val, out)).append('"');
            }
        }
    }
}
