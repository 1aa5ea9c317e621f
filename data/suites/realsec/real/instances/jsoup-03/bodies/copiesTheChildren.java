import java.util.ArrayList;

public static void traverse(NodeVisitor visitor, Node root) {
    Validate.notNull(visitor);
    Validate.notNull(root);
    visit(visitor, root, 0);
}

private static void visit(NodeVisitor visitor, Node node, int depth) {
    Node parent = node.parentNode();
    int before = parent != null ? parent.childNodeSize() : 0;
    int index = node.siblingIndex();
    visitor.head(node, depth);
    Node current = node;
    if (parent != null && node.parentNode() == null) {
        if (parent.childNodeSize() != before)
            return; // removed
        current = parent.childNode(index); // replaced
    }
    for (Node child : new ArrayList<>(current.childNodes())) {
        visit(visitor, child, depth + 1);
    }
    visitor.tail(current, depth);
}
