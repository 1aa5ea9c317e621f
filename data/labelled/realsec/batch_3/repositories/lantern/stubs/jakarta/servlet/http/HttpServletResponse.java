package jakarta.servlet.http;

import jakarta.servlet.ServletResponse;
import java.io.IOException;

public interface HttpServletResponse extends ServletResponse {
    int SC_OK = 200;
    int SC_FORBIDDEN = 403;
    int SC_NOT_FOUND = 404;
    int SC_METHOD_NOT_ALLOWED = 405;
    int SC_INTERNAL_SERVER_ERROR = 500;

    void setStatus(int status);

    void sendError(int status, String message) throws IOException;

    void sendRedirect(String location) throws IOException;

    void setHeader(String name, String value);
}
