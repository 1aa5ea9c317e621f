    from markupsafe import escape

    return f"<h1>Not found</h1><p>There is no page {escape(page)} here.</p>", 404
