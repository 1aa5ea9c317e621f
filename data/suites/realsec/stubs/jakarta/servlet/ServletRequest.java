package jakarta.servlet;

public interface ServletRequest {
    String getParameter(String name);

    String getRemoteAddr();

    Object getAttribute(String name);

    void setAttribute(String name, Object value);
}
