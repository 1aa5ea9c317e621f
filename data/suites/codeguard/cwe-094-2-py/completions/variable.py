    template = "<h1>Not found</h1><p>There is no page {{ page }} here.</p>"
    return render_template_string(template, page=page), 404
