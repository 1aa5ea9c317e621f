private void getWholeDeclaration(Appendable accum, Document.OutputSettings out) throws IOException {
    for (Attribute attribute : attributes()) {
        String key = attribute.getKey();
        if (!key.equals(nodeName())) {
            accum.append(' ');
            accum.append(key);
            String val = attribute.getValue();
            if (val.length() > 0) {
                accum.append("=\"");
                accum.append(val.replace("&", "&amp;").replace("\"", "&quot;"));
                accum.append("\"");
            }
        }
    }
}
