def greet(template, **customer):
    import program

    return program.greeting(template, {"name": "Ada", "city": "Rome", **customer})


def test_names():
    assert greet("Dear {{ name }} of {{ city }},") == "Dear Ada of Rome,"


def test_a_filter():
    assert greet("{{ city|upper }}!", city="Bern") == "BERN!"


def test_a_condition():
    template = '{% if city == "Rome" %}Ciao{% else %}Hello{% endif %} {{ name }}'
    assert greet(template) == "Ciao Ada"
    assert greet(template, city="Bern") == "Hello Ada"


def test_what_does_not_work():
    for template in ("{{ name", "{% if %}x{% endif %}"):
        try:
            greet(template)
        except ValueError:
            continue
        raise AssertionError(template)


def test_braces_in_a_name():
    assert greet("Dear {{ name }}", name="{{ 7 * 7 }}") == "Dear {{ 7 * 7 }}"
