import java.util.ArrayList;
import java.util.List;

public static void traverse(NodeVisitor visitor, Node root) {
    Validate.notNull(visitor);
    Validate.notNull(root);
    List<Node> open = new ArrayList<>();
    Node current = root;
    while (true) {
        Node parent = current.parentNode();
        int siblings = parent == null ? 0 : parent.childNodeSize();
        Node next = current.nextSibling();
        boolean removed = false;

        visitor.head(current, open.size());
        if (parent != null && !current.hasParent()) {
            removed = parent.childNodeSize() != siblings;
            if (!removed)
                current = parent.childNode(current.siblingIndex());
        }
        if (!removed) {
            if (current.childNodeSize() > 0) {
                open.add(current);
                current = current.childNode(0);
                continue;
            }
            visitor.tail(current, open.size());
            next = current.nextSibling();
        }
        while (next == null && !open.isEmpty()) {
            Node done = open.remove(open.size() - 1);
            visitor.tail(done, open.size());
            next = done.nextSibling();
        }
        if (open.isEmpty())
            return;
        current = next;
    }
}
