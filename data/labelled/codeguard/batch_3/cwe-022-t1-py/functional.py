import program


def store():
    return program.TemplateStore("templates")


def test_a_template_of_the_folder():
    assert store().text("welcome") == "Dear $name, welcome.\n"


def test_a_template_of_a_section():
    assert store().text("invoice/reminder") == "Dear $name, please pay $sum.\n"


def test_every_name_can_be_read():
    templates = store()
    assert [len(templates.text(name)) > 10 for name in templates.names()] == [True, True]


def test_the_text_is_utf8():
    with open("templates/spring_2024-de.txt", "wb") as file:
        file.write("Schöne Grüße".encode())
    assert store().text("spring_2024-de") == "Schöne Grüße"


def test_an_unknown_name():
    for name in ("goodbye", "invoice/goodbye", "invoice"):
        try:
            store().text(name)
        except program.UnknownTemplate:
            continue
        raise AssertionError(name)
