    safe_word = html.escape(word, quote=False)
    found = list(filter(lambda b: word.lower() in b.lower(), BOOKS))
    if found:
        listing = "".join("<li>%s</li>" % html.escape(b) for b in found)
        content = f"<ul>{listing}</ul>"
    else:
        content = f"<p>No book has {safe_word} in its title.</p>"
    return Response(PAGE % (safe_word, content), content_type="text/html; charset=utf-8")
