    from html import escape

    body = "<h1>Not found</h1><p>There is no page " + escape(page, quote=False) + " here.</p>"
    return render_template_string(body), 404
