final void newAttribute() {
    if (attributes == null)
        attributes = new Attributes();
    boolean room = attributes.size() < Limit.OF_A_TAG;
    if (room && hasAttrName)
        attributesAdd();
    reset(attrName);
    reset(attrValue);
    attrNameS = null;
    attrValueS = null;
    hasAttrName = false;
    hasAttrValue = false;
    hasEmptyAttrValue = false;
}

private void attributesAdd() {
    String name = (attrName.length() == 0 ? attrNameS : attrName.toString()).trim();
    if (name.isEmpty())
        return;
    String value = hasEmptyAttrValue ? "" : null;
    if (hasAttrValue)
        value = attrValue.length() == 0 ? attrValueS : attrValue.toString();
    attributes.add(name, value);
}

private static final class Limit {
    static final int OF_A_TAG = 1000;
}
