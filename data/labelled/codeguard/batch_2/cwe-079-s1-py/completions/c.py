    shown = html.escape(word)
    hits = [b for b in BOOKS if word.lower() in b.lower()]
    if hits:
        body = "<ul>" + "".join(f"<li>{html.escape(b)}</li>" for b in hits) + "</ul>"
    else:
        body = f"<p>No book has {shown} in its title.</p>"
    return PAGE % (shown, body)
