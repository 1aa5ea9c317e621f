public void head(Node source, int depth) {
    if (source instanceof TextNode) {
        destination.appendChild(new TextNode(((TextNode) source).getWholeText()));
        return;
    }
    if (source instanceof Element) {
        Element element = (Element) source;
        if (safelist.isSafeTag(element.normalName())) {
            ElementMeta copied = createSafeElement(element);
            destination.appendChild(copied.el);
            destination = copied.el;
            numDiscarded += copied.numAttribsDiscarded;
        } else if (element != root) {
            numDiscarded++;
        }
        return;
    }
    Node owner = source.parent();
    boolean kept = source instanceof DataNode && owner instanceof Element
        && ((Element) owner).normalName().equals(destination.normalName())
        && safelist.isSafeTag(destination.normalName());
    if (kept)
        destination.appendChild(new DataNode(((DataNode) source).getWholeData()));
    else
        numDiscarded++;
}
