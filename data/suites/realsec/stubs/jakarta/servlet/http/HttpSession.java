package jakarta.servlet.http;

public interface HttpSession {
    String getId();

    Object getAttribute(String name);

    void setAttribute(String name, Object value);
}
