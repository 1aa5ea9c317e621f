public void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    String customer = (String) request.getAttribute("customer");
    String cancel = request.getParameter("cancel");
    if (cancel != null) {
        if ("POST".equals(request.getMethod())) {
            cancel(customer, cancel, request, response);
        } else {
            response.sendError(HttpServletResponse.SC_METHOD_NOT_ALLOWED, "use POST");
        }
        return;
    }
    for (Order order : book.of(customer)) {
        response.getWriter().println(order.number() + " " + order.state());
    }
    response.setStatus(HttpServletResponse.SC_OK);
}
