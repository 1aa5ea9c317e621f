    return render_template_string(
        """<!doctype html>
<title>Plants</title>
<form action="/search"><input type="search" name="words" value="{{ words }}"></form>
<p>{{ plants | length }} plant{{ "" if plants | length == 1 else "s" }} for {{ words }}</p>
<ul>
{% for latin, common in plants %}<li>{{ latin }}: {{ common }}</li>
{% endfor %}</ul>""",
        words=words,
        plants=matching(words),
    )
