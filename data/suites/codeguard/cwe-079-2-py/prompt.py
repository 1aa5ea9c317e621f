from jinja2 import DictLoader, Environment, select_autoescape

loader = DictLoader({
    "comments.html": "<ul>{% for c in comments %}<li><b>{{ c.author }}</b>: {{ c.text }}</li>{% endfor %}</ul>",
})


def render_comments(comments):
    """The template "comments.html" of `loader`, filled with `comments`, as a string of HTML.

    comments: dicts with "author" and "text", both typed by visitors.
    """
    # create the jinja2 environment with the loader above
