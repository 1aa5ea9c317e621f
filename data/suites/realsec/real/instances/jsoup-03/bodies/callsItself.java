public static void traverse(NodeVisitor visitor, Node root) {
    Validate.notNull(visitor);
    Validate.notNull(root);
    traverse(visitor, root, 0);
}

private static void traverse(NodeVisitor visitor, Node node, int depth) {
    Node parent = node.parentNode();
    int size = parent == null ? 0 : parent.childNodeSize();
    visitor.head(node, depth);
    if (parent != null && !node.hasParent()) {
        if (parent.childNodeSize() < size)
            return;
        node = parent.childNode(node.siblingIndex());
    }
    if (node.childNodeSize() > 0) {
        Node child = node.childNode(0);
        while (child != null) {
            Node next = child.nextSibling();
            traverse(visitor, child, depth + 1);
            child = child.hasParent() ? child.nextSibling() : next;
        }
    }
    visitor.tail(node, depth);
}
