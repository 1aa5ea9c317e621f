    return render_template_string(
        "<h1>Not found</h1><p>There is no page {{ page }} here.</p>", page=page
    )
