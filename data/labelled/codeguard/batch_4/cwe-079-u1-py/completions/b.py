    def esc(text):
        return html.escape(text, quote=False)

    parts = ['<li class="member" title="', esc(member.status), '"><b>', esc(member.name), "</b> ("]
    parts += [str(member.rating), ")<p>", esc(member.bio).replace("\n", "<br>"), "</p></li>"]
    return "".join(parts)
