public void head(Node source, int depth) {
    if (source instanceof Element) {
        Element sourceEl = (Element) source;
        if (safelist.isSafeTag(sourceEl.normalName())) {
            ElementMeta meta = createSafeElement(sourceEl);
            destination.appendChild(meta.el);
            numDiscarded += meta.numAttribsDiscarded;
            destination = meta.el;
        } else if (sourceEl != root) {
            numDiscarded++;
        }
    } else if (source instanceof TextNode) {
        destination.appendChild(new TextNode(((TextNode) source).getWholeText()));
    } else if (source instanceof DataNode && safelist.isSafeTag(destination.normalName())) {
        destination.appendChild(new DataNode(((DataNode) source).getWholeData()));
    } else {
        numDiscarded++;
    }
}
