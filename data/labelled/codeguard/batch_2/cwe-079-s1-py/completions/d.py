    hits = [title for title in BOOKS if word.casefold() in title.casefold()]
    if hits:
        rows = Markup("\n").join(Markup("<li>{}</li>").format(title) for title in hits)
        body = Markup("<ul>%s</ul>") % rows
    else:
        body = Markup("<p>No book has %s in its title.</p>") % word
    return Response(str(Markup(PAGE) % (word, body)), mimetype="text/html")
