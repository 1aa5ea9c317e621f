@Override
public void doFilter(ServletRequest req, ServletResponse resp, FilterChain chain)
        throws IOException, ServletException {
    HttpServletRequest request = (HttpServletRequest) req;
    HttpServletResponse response = (HttpServletResponse) resp;
    String path = request.getRequestURI();
    if (rules.decide(path) == Decision.OPEN) {
        chain.doFilter(request, response);
        return;
    }
    String token = request.getHeader(TOKEN_HEADER);
    if (tokens.accepts(token)) {
        chain.doFilter(request, response);
        return;
    }
    LOG.warn("no access to {} from {}", path, request.getHeader("User-Agent"));
    refuse(request, response);
}
