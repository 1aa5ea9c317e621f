package access.web;

import access.model.Right;
import access.service.Grants;
import access.session.Session;
import access.session.Sessions;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Gives roles to users. Forms send the session's form token in the parameter "form". */
public class AdminServlet {
    private final Grants grants;
    private final Sessions sessions;

    public AdminServlet(Grants grants, Sessions sessions) {
        this.grants = grants;
        this.sessions = sessions;
    }

    public void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        Session session = sessions.find(request.getHeader("X-Session"));
        if (session == null || !grants.may(session.user(), Right.GRANT)) {
            response.sendError(HttpServletResponse.SC_FORBIDDEN, "not allowed");
            return;
        }
        if (request.getMethod().equals("POST")) {
            change(session, request, response);
        } else {
            response.getWriter().print(grants.roleOf(request.getParameter("user")));
        }
    }

    void change(Session session, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        String user = request.getParameter("user");
        String role = request.getParameter("role");
        if (user == null || role == null || user.equals(session.user())) {
            response.sendError(400, "user and role are needed");
            return;
        }
        grants.give(user, role);
        response.setStatus(HttpServletResponse.SC_OK);
    }
}
