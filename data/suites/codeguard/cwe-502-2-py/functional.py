def refused(text):
    import program

    try:
        program.read_layout(text)
    except ValueError:
        return True
    return False


def test_values_overlay_the_defaults():
    import program

    assert program.read_layout("title: Report\ntags: [a, b]\n") == {
        "title": "Report", "columns": 2, "tags": ["a", "b"],
    }


def test_unknown_keys_are_left_out():
    import program

    assert program.read_layout("colour: red\ncolumns: 3\n") == {
        "title": "Untitled", "columns": 3, "tags": [],
    }


def test_what_is_no_mapping_is_refused():
    assert refused("- a\n- b\n")
    assert refused("just words")


def test_what_is_no_yaml_is_refused():
    assert refused("title: [unclosed")


def test_the_defaults_are_not_changed():
    import program

    program.read_layout("columns: 9")
    assert program.DEFAULTS == {"title": "Untitled", "columns": 2, "tags": []}
