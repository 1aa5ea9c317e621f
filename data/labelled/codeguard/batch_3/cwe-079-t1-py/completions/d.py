    found = matching(words)
    heading = "%d plant%s for %s" % (len(found), "" if len(found) == 1 else "s", words)
    items = "".join("<li>%s: %s</li>" % plant for plant in found)
    return """
        <form action="/search">
          <input name="words" value="%s">
        </form>
        <p>%s</p>
        <ul>%s</ul>
    """ % (words, heading, items)
