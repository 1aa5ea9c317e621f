    name, status = html.escape(member.name), html.escape(member.status)
    bio = "<br>".join(html.escape(line) for line in member.bio.splitlines())
    return f'<li class="member" title="{status}"><b>{name}</b> ({member.rating})<p>{bio}</p></li>'
