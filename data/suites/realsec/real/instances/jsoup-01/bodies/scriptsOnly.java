public void head(Node source, int depth) {
    if (source instanceof Element) {
        Element element = (Element) source;
        if (!safelist.isSafeTag(element.normalName())) {
            if (element != root) numDiscarded++;
            return;
        }
        ElementMeta meta = createSafeElement(element);
        numDiscarded += meta.numAttribsDiscarded;
        destination.appendChild(meta.el);
        destination = meta.el;
        return;
    }
    if (source instanceof TextNode) {
        destination.appendChild(new TextNode(((TextNode) source).getWholeText()));
        return;
    }
    if (source instanceof DataNode) {
        boolean script = "script".equals(source.parent().nodeName());
        if (!script || safelist.isSafeTag("script")) {
            destination.appendChild(new DataNode(((DataNode) source).getWholeData()));
            return;
        }
    }
    numDiscarded++;
}
