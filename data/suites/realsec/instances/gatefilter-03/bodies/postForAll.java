public void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
    if (!"POST".equals(request.getMethod())) {
        response.sendError(405, "use POST");
        return;
    }
    String host = request.getParameter("host");
    String action = request.getParameter("action");
    if (host == null || action == null) {
        response.sendError(400, "host and action are needed");
    } else if (action.equals("block")) {
        blocked.add(host);
        response.setStatus(200);
    } else if (action.equals("unblock")) {
        blocked.remove(host);
        response.setStatus(200);
    } else {
        response.sendError(400, "unknown action");
    }
}
