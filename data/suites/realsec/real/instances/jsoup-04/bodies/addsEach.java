final void newAttribute() {
    if (attributes == null)
        attributes = new Attributes();

    if (hasAttrName) {
        String name = attrName.length() > 0 ? attrName.toString() : attrNameS;
        name = name.trim();
        if (name.length() > 0) {
            String value = null;
            if (hasAttrValue)
                value = attrValue.length() > 0 ? attrValue.toString() : attrValueS;
            else if (hasEmptyAttrValue)
                value = "";
            attributes.add(name, value);
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
