final void newAttribute() {
    if (attributes == null)
        attributes = new Attributes();
    if (hasAttrName) {
        String name = attrName.length() > 0 ? attrName.toString() : attrNameS;
        name = name.trim();
        if (name.length() > 0) {
            if (hasAttrValue && attributes.size() < MaxAttributes)
                attributes.add(name, attrValue.length() > 0 ? attrValue.toString() : attrValueS);
            else if (!hasAttrValue)
                attributes.add(name, hasEmptyAttrValue ? "" : null);
        }
    }
    reset(attrName);
    attrNameS = null;
    hasAttrName = false;
    reset(attrValue);
    attrValueS = null;
    hasAttrValue = false;
    hasEmptyAttrValue = false;
}
