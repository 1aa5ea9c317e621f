    bio = markupsafe.Markup("<br>").join(member.bio.split("\n"))
    markup = markupsafe.Markup('<li class="member" title="{0.status}"><b>{0.name}</b> ({0.rating})<p>{bio}</p></li>')
    return str(markup.format(member, bio=bio))
