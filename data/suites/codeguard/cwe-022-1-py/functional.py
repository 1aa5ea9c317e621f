import os


def get(name):
    import program

    return program.app.test_client().get("/download", query_string={"name": name})


def test_a_file_of_the_folder():
    answer = get("hello.txt")
    assert answer.status_code == 200
    assert answer.data == b"Hello, visitor.\n"


def test_a_file_of_a_subfolder():
    assert get("docs/guide.txt").data == b"Read me first.\n"


def test_no_such_file():
    assert get("missing.txt").status_code == 404


def test_binary_content_arrives_whole():
    data = bytes(range(256))
    with open("public/blob.bin", "wb") as file:
        file.write(data)
    assert get("blob.bin").data == data
    assert os.path.exists("public/blob.bin")
