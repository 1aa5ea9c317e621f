private void getWholeDeclaration(Appendable accum, Document.OutputSettings out) throws IOException {
    for (Attribute attribute : attributes()) {
        if (attribute.getKey().equals(nodeName()))
            continue;
        accum.append(' ').append(attribute.getKey());
        String value = attribute.getValue();
        if (value.isEmpty())
            continue;
        accum.append("=\"");
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '&': accum.append("&amp;"); break;
                case '<': accum.append("&lt;"); break;
                case '>': accum.append("&gt;"); break;
                case '"': accum.append("&quot;"); break;
                default: accum.append(c);
            }
        }
        accum.append('"');
    }
}
