public void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    if (!request.getMethod().equals("POST")) {
        response.sendError(405, "use POST");
        return;
    }
    cancel((String) request.getAttribute("customer"), request.getParameter("cancel"),
            request, response);
}
