package jakarta.servlet.http;

import jakarta.servlet.ServletRequest;

public interface HttpServletRequest extends ServletRequest {
    String getMethod();

    String getRequestURI();

    String getHeader(String name);

    HttpSession getSession();
}
