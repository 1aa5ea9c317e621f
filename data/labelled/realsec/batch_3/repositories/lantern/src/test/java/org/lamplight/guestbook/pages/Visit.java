package org.lamplight.guestbook.pages;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.servlet.http.HttpSession;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.Map;

/** One request with its response, as a server would hand them to a page. */
final class Visit {
    final Map<String, String> parameters = new HashMap<>();
    final Map<String, Object> session = new HashMap<>();
    final StringWriter body = new StringWriter();
    int status = 200;
    String location;

    private final PrintWriter writer = new PrintWriter(body, true);

    Visit with(String name, String value) {
        parameters.put(name, value);
        return this;
    }

    String page() {
        writer.flush();
        return body.toString();
    }

    HttpServletRequest request() {
        HttpSession kept = proxy(HttpSession.class, (self, called, given) -> {
            if (called.getName().equals("setAttribute")) {
                session.put((String) given[0], given[1]);
                return null;
            }
            return called.getName().equals("getId") ? "s1" : session.get((String) given[0]);
        });
        return proxy(HttpServletRequest.class, (self, called, given) -> switch (called.getName()) {
            case "getParameter" -> parameters.get((String) given[0]);
            case "getSession" -> kept;
            case "getRequestURI" -> "/";
            case "getMethod" -> "GET";
            case "getRemoteAddr" -> "192.0.2.1";
            default -> null;
        });
    }

    HttpServletResponse response() {
        return proxy(HttpServletResponse.class, (self, called, given) -> {
            switch (called.getName()) {
                case "getWriter":
                    return writer;
                case "setStatus":
                    status = (Integer) given[0];
                    break;
                case "sendError":
                    status = (Integer) given[0];
                    writer.println(given[1]);
                    break;
                case "sendRedirect":
                    status = 302;
                    location = (String) given[0];
                    break;
                case "setHeader":
                    if ("Location".equalsIgnoreCase((String) given[0])) {
                        location = (String) given[1];
                    }
                    break;
                default:
                    break;
            }
            return null;
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
