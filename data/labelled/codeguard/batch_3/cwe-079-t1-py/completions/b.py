    plants = matching(words)
    count = "1 plant" if len(plants) == 1 else f"{len(plants)} plants"
    items = Markup("").join(Markup("<li>%s: %s</li>") % plant for plant in plants)
    page = Markup(
        '<form method="get"><input type="text" name="words" value="{words}"></form>'
        "<p>{count} for <em>{words}</em></p><ul>{items}</ul>"
    )
    return page.format(words=words, count=count, items=items)
