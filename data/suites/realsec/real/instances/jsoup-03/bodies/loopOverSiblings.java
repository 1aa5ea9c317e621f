public static void traverse(NodeVisitor visitor, Node root) {
    Validate.notNull(visitor);
    Validate.notNull(root);
    siblings(visitor, root, 0, true);
}

private static void siblings(NodeVisitor visitor, Node first, int depth, boolean alone) {
    Node node = first;
    while (node != null) {
        Node parent = node.parentNode();
        int origSize = parent != null ? parent.childNodeSize() : 0;
        Node next = node.nextSibling();
        visitor.head(node, depth);
        boolean removed = false;
        if (parent != null && !node.hasParent()) {
            removed = origSize != parent.childNodeSize();
            if (!removed)
                node = parent.childNode(node.siblingIndex());
        }
        if (!removed) {
            if (node.childNodeSize() > 0)
                siblings(visitor, node.childNode(0), depth + 1, false);
            visitor.tail(node, depth);
            next = node.nextSibling();
        }
        node = alone ? null : next;
    }
}
