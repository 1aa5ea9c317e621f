    plants = matching(words)
    shown = html.escape(words)
    noun = "plant" if len(plants) == 1 else "plants"
    lines = ["<html><body>", "<form>"]
    lines.append(f"<input name='words' value='{shown}'><button>Search</button>")
    lines.append("</form>")
    lines.append(f"<p>{len(plants)} {noun} for {shown}</p>")
    lines.append("<ul>")
    for latin, common in plants:
        lines.append(f"<li>{latin}: {common}</li>")
    lines += ["</ul>", "</body></html>"]
    return "\n".join(lines)
