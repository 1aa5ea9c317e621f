    template = """<h1>Not found</h1><p>There is no page %s here.</p>""" % page
    return render_template_string(template), 404
