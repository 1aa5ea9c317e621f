public URI getLocationURI(
        final HttpRequest request,
        final HttpResponse response,
        final HttpContext context) throws ProtocolException {
    Args.notNull(request, "HTTP request");
    Args.notNull(response, "HTTP response");
    Args.notNull(context, "HTTP context");

    final HttpClientContext clientContext = HttpClientContext.adapt(context);
    final Header locationHeader = response.getFirstHeader("location");
    if (locationHeader == null) {
        throw new ProtocolException("Received redirect response " + response.getStatusLine()
                + " but no location header");
    }
    final String location = locationHeader.getValue();
    final RequestConfig config = clientContext.getRequestConfig();

    URI uri = createLocationURI(location);
    try {
        if (config.isNormalizeUri()) {
            uri = URIUtils.normalizeSyntax(uri);
        }
        if (!uri.isAbsolute()) {
            if (!config.isRelativeRedirectsAllowed()) {
                throw new ProtocolException("Relative redirect location '" + uri + "' not allowed");
            }
            final HttpHost target = clientContext.getTargetHost();
            Asserts.notNull(target, "Target host");
            final URI requestURI = new URI(request.getRequestLine().getUri());
            final URI absoluteRequestURI = URIUtils.rewriteURI(requestURI, target,
                    config.isNormalizeUri() ? URIUtils.NORMALIZE : URIUtils.NO_FLAGS);
            uri = URIUtils.resolve(absoluteRequestURI, uri);
        }
    } catch (final URISyntaxException ex) {
        throw new ProtocolException(ex.getMessage(), ex);
    }

    if (!config.isCircularRedirectsAllowed() && uri.toString().equals(request.getRequestLine().getUri())) {
        throw new CircularRedirectException("Circular redirect to '" + uri + "'");
    }

    RedirectLocations locations = (RedirectLocations) clientContext.getAttribute(
            HttpClientContext.REDIRECT_LOCATIONS);
    if (locations == null) {
        locations = new RedirectLocations();
        context.setAttribute(HttpClientContext.REDIRECT_LOCATIONS, locations);
    }
    locations.add(uri);
    return uri;
}
