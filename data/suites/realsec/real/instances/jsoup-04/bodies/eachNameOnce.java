final void newAttribute() {
    if (attributes == null)
        attributes = new Attributes();
    if (hasAttrName) {
        String name = attrName.length() > 0 ? attrName.toString() : attrNameS;
        name = name == null ? "" : name.trim();
        String value;
        if (hasAttrValue) {
            value = attrValue.length() > 0 ? attrValue.toString() : attrValueS;
        } else {
            value = hasEmptyAttrValue ? "" : null;
        }
        if (!name.isEmpty() && !attributes.hasKey(name)) {
            attributes.add(name, value);
        }
    }
    reset(attrName);
    reset(attrValue);
    attrNameS = attrValueS = null;
    hasAttrName = hasAttrValue = hasEmptyAttrValue = false;
}
