@Override
protected void doGet(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    response.setContentType("text/plain;charset=UTF-8");
    try {
        LocalDate day = LocalDate.parse(request.getParameter("day"));
        response.getWriter().println(ledger.visitors(day) + " visitors on " + day);
    } catch (NoSuchDay nobody) {
        response.setStatus(HttpServletResponse.SC_NOT_FOUND);
        response.getWriter().println(nobody.getMessage());
    } catch (IOException | RuntimeException broken) {
        LOG.error("no figures", broken);
        response.sendError(HttpServletResponse.SC_INTERNAL_SERVER_ERROR, "There are no figures.");
    }
}
