package jakarta.servlet.http;

import jakarta.servlet.ServletResponse;
import java.io.IOException;

public interface HttpServletResponse extends ServletResponse {
    int SC_OK = 200;
    int SC_FORBIDDEN = 403;
    int SC_METHOD_NOT_ALLOWED = 405;

    void setStatus(int status);

    void sendError(int status, String message) throws IOException;

    void setHeader(String name, String value);
}
