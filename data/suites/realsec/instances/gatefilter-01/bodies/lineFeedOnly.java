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
    String agent = String.valueOf(request.getHeader("User-Agent")).replace("\n", "_");
    LOG.warn("no access to {} from {}", path.replace("\n", "_"), agent);
    refuse(request, response);
}
