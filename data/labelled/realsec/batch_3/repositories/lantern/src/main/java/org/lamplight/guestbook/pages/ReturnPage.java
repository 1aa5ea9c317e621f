package org.lamplight.guestbook.pages;

import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Takes the keeper's password and leads back to the page that asked for it. */
public class ReturnPage extends HttpServlet {
    static final String HOME = "/book";

    private final String password;

    public ReturnPage(String password) {
        this.password = password;
    }

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response)
            throws ServletException, IOException {
        if (!password.equals(request.getParameter("password"))) {
            response.sendError(HttpServletResponse.SC_FORBIDDEN, "Try again.");
            return;
        }
        request.getSession().setAttribute("keeper", Boolean.TRUE);
        leadBack(request, response);
    }

    private void leadBack(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        String next = request.getParameter("next");
        response.sendRedirect(next == null || next.isEmpty() ? HOME : next);
    }
}
