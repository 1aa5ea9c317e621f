import java.util.ArrayDeque;
import java.util.Deque;

public static void traverse(NodeVisitor visitor, Node root) {
    Validate.notNull(visitor);
    Validate.notNull(root);
    Deque<Node> open = new ArrayDeque<>();
    Node node = root;
    while (node != null) {
        Node next = node.nextSibling();
        visitor.head(node, open.size());
        if (node.childNodeSize() > 0) {
            open.push(node);
            node = node.childNode(0);
            continue;
        }
        while (next == null && !open.isEmpty()) {
            Node done = open.pop();
            visitor.tail(done, open.size());
            next = done.nextSibling();
        }
        node = open.isEmpty() ? null : next;
    }
}
