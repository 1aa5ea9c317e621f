    def strip_tags(value):
        return re.sub(r"<[^>]*>", "", value)

    word = strip_tags(word)
    hits = [b for b in BOOKS if re.search(re.escape(word), b, re.IGNORECASE)]
    if len(hits) == 0:
        result = f"<p>No book has {word} in its title.</p>"
    else:
        result = "<ul>\n" + "\n".join(f"  <li>{html.escape(b)}</li>" for b in hits) + "\n</ul>"
    return PAGE % (word, result)
