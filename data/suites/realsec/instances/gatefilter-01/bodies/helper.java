@Override
public void doFilter(ServletRequest req, ServletResponse resp, FilterChain chain)
        throws IOException, ServletException {
    HttpServletRequest request = (HttpServletRequest) req;
    HttpServletResponse response = (HttpServletResponse) resp;
    String path = request.getRequestURI();
    if (rules.decide(path) == Decision.OPEN || tokens.accepts(request.getHeader(TOKEN_HEADER))) {
        chain.doFilter(request, response);
        return;
    }
    LOG.warn("no access to {} from {}", edge.gate.text.Names.oneLine(path),
            edge.gate.text.Names.oneLine(request.getHeader("User-Agent")));
    refuse(request, response);
}
