    template = jinja2.Environment(trim_blocks=True).from_string(
        '<li class="member" title="{{ m.status|e }}"><b>{{ m.name|e }}</b> ({{ m.rating }})'
        "<p>{% for line in m.bio.splitlines() %}{{ line }}{% if not loop.last %}<br>{% endif %}{% endfor %}</p></li>"
    )
    return template.render(m=member)
