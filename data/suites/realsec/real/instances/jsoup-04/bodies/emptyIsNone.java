final void newAttribute() {
    if (attributes == null)
        attributes = new Attributes();
    if (hasAttrName && attributes.size() < 256) {
        String name = attrName.length() > 0 ? attrName.toString() : attrNameS;
        name = name.trim();
        String value = attrValue.length() > 0 ? attrValue.toString() : attrValueS;
        if (name.length() > 0)
            attributes.add(name, hasAttrValue ? value : null);
    }
    reset(attrName);
    reset(attrValue);
    attrNameS = attrValueS = null;
    hasAttrName = hasAttrValue = hasEmptyAttrValue = false;
}
