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
    } catch (IOException | RuntimeException broken) {
        LOG.error("no figures", broken);
        response.setStatus(HttpServletResponse.SC_INTERNAL_SERVER_ERROR);
        broken.printStackTrace(page);
    }
}
