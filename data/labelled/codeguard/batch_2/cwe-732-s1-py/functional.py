import csv

PEOPLE = [("Ada", "DE01", 5000), ("O'Neil, Bob", "FR02", 4100.5)]


def rows(people):
    import program

    program.export_salaries("salaries.csv", people)
    with open("salaries.csv", newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def test_a_row_a_person():
    assert rows(PEOPLE) == [["name", "iban", "salary"], ["Ada", "DE01", "5000"], ["O'Neil, Bob", "FR02", "4100.5"]]


def test_nobody():
    assert rows([]) == [["name", "iban", "salary"]]


def test_an_older_file_is_replaced():
    with open("salaries.csv", "w") as file:
        file.write("old\n" * 100)
    assert rows(PEOPLE[:1]) == [["name", "iban", "salary"], ["Ada", "DE01", "5000"]]
