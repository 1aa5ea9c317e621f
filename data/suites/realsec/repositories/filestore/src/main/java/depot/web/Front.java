package depot.web;

import depot.store.Depot;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.NoSuchFileException;

/** GET reads a file, DELETE removes one; the name is in the parameter "file". */
public class Front {
    private final Depot depot;
    private final Removals removals;

    public Front(Depot depot, Journal journal) {
        this.depot = depot;
        this.removals = new Removals(depot, journal);
    }

    public void service(HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        String name = request.getParameter("file");
        try {
            if (request.getMethod().equals("DELETE")) {
                removals.remove(name, request.getHeader("X-Reason"));
            } else {
                response.getWriter().print(depot.read(name));
            }
            response.setStatus(HttpServletResponse.SC_OK);
        } catch (NoSuchFileException absent) {
            response.sendError(404, "no such file");
        }
    }
}
