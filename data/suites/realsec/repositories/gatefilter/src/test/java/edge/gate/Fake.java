package edge.gate;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.HashMap;
import java.util.Map;

/** A request and the response to it, in memory. */
public class Fake implements HttpServletRequest, HttpServletResponse {
    public final Map<String, String> parameters = new HashMap<>();
    public final Map<String, String> headers = new HashMap<>();
    public final Map<String, Object> attributes = new HashMap<>();
    public final StringWriter body = new StringWriter();
    public String method = "GET";
    public String uri = "/";
    public int status = 0;

    public Fake parameter(String name, String value) {
        parameters.put(name, value);
        return this;
    }

    public Fake header(String name, String value) {
        headers.put(name, value);
        return this;
    }

    public String getMethod() {
        return method;
    }

    public String getRequestURI() {
        return uri;
    }

    public String getHeader(String name) {
        return headers.get(name);
    }

    public HttpSession getSession() {
        return null;
    }

    public String getParameter(String name) {
        return parameters.get(name);
    }

    public String getRemoteAddr() {
        return "192.0.2.7";
    }

    public Object getAttribute(String name) {
        return attributes.get(name);
    }

    public void setAttribute(String name, Object value) {
        attributes.put(name, value);
    }

    public void setStatus(int status) {
        this.status = status;
    }

    public void sendError(int status, String message) {
        this.status = status;
    }

    public void setHeader(String name, String value) {
        headers.put(name, value);
    }

    public PrintWriter getWriter() {
        return new PrintWriter(body, true);
    }

    public void setContentType(String type) {
        headers.put("Content-Type", type);
    }
}
