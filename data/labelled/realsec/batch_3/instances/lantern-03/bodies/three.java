import java.time.format.DateTimeParseException;

@Override
protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    response.setContentType("text/plain;charset=UTF-8");
    PrintWriter page = response.getWriter();
    try {
        LocalDate day = LocalDate.parse(request.getParameter("day"));
        page.println(ledger.visitors(day) + " visitors on " + day);
    } catch (NoSuchDay nobody) {
        response.setStatus(HttpServletResponse.SC_NOT_FOUND);
        page.println(nobody.getMessage());
    } catch (DateTimeParseException | NullPointerException crooked) {
        LOG.warn("no day", crooked);
        response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR, "That is no day.");
    } catch (IOException broken) {
        LOG.error("no figures", broken);
        String reason = broken.getMessage();
        response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR, "No figures: " + reason);
    }
}
