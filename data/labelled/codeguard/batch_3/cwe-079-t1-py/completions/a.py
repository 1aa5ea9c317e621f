    def plain(text):
        """The text with no markup in it."""
        return html.escape(text, quote=False)

    plants = matching(words)
    listing = "\n".join(f"<li>{plain(latin)}: {plain(common)}</li>" for latin, common in plants)
    return (
        "<form action=/search>"
        f'<input name="words" type="text" value="{plain(words)}">'
        "</form>"
        f"<p>{len(plants)} plant{'s' * (len(plants) != 1)} for {plain(words)}</p>"
        f"<ul>{listing}</ul>"
    )
