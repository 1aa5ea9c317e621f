import java.io.StringWriter;
import java.util.UUID;

@Override
protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    response.setContentType("text/plain;charset=UTF-8");
    PrintWriter page = response.getWriter();
    try {
        LocalDate day = LocalDate.parse(request.getParameter("day"));
        page.println(ledger.visitors(day) + " visitors on " + day);
    } catch (NoSuchDay e) {
        response.setStatus(HttpServletResponse.SC_NOT_FOUND);
        page.println(e.getMessage());
    } catch (Exception e) {
        UUID number = UUID.randomUUID();
        StringWriter trace = new StringWriter();
        e.printStackTrace(new PrintWriter(trace, true));
        LOG.error("no figures, case {}: {}", number, trace);
        response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
        page.println("Please tell the keeper about case " + number + ".");
    }
}
