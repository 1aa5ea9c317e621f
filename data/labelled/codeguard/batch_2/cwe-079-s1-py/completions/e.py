    matches = [book for book in BOOKS if word.lower() in book.lower()]
    if not matches:
        return PAGE % (word, "<p>No book has " + word + " in its title.</p>")
    items = ""
    for book in matches:
        items += "<li>" + book.replace("&", "&amp;") + "</li>"
    return PAGE % (word, "<ul>" + items + "</ul>")
