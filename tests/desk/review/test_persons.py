"""The register of persons: what it takes for two names to be two people, and what is wrong with a file that is refused."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desk.review.persons import ID, Person, Persons, ReviewRefused, entry, normal, read, register

ORTIZ = '[[person]]\nid = "m.ortiz"\nname = "Maria Ortiz"\naccounts = ["m.ortiz@bellwether.example"]\n'


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "persons.toml"
    path.touch(0o600)
    path.write_text(ORTIZ)
    return path


def test_a_register_is_read(file: Path) -> None:
    ortiz = Person(id="m.ortiz", name="Maria Ortiz", accounts=("m.ortiz@bellwether.example",))
    assert read(file).all == (ortiz,)
    assert read(file).known("M.Ortiz@bellwether.example") == ortiz


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ('[[person]]\nid = "m.ortiz"\nname = "B"\n', "are one name but for punctuation"),
        ('[[person]]\nid = "m_ortiz"\nname = "B"\n', "'m_ortiz' and 'm.ortiz' are one name but for punctuation"),
        ('[[person]]\nid = "mortiz"\nname = "B"\n', "two names must be two people"),
        ('[[person]]\nid = "b"\nname = "B"\naccounts = ["m.ortiz"]\n', "accounts of one person"),
        ('[[person]]\nid = "b"\nname = "B"\naccounts = ["m-ortiz@bellwether.example"]\n', "are one name but for punctuation"),
        ('[[person]]\nid = "M.Ortiz"\nname = "B"\n', "'M.Ortiz' is no id of a person"),
        ('[[person]]\nid = "ｍ.ortiz"\nname = "B"\n', "is no id of a person"),
        ('[[person]]\nid = ".b"\nname = "B"\n', "is no id of a person"),
        ('[[person]]\nid = "b"\nname = "B"\naccounts = ["B@x"]\n', "'B@x' is no id of a person"),
        (f'[[person]]\nid = "{"b" * 65}"\nname = "B"\n', "1 to 64 small letters"),
        ('[[person]]\nid = "b"\nname = " "\n', "b needs a name"),
        ('[[person]]\nid = "b"\nname = "B\\u0007"\n', "printable"),
        ('[[person]]\nid = "b"\n', r"\[\[person\]\] has id, name and accounts.*name"),
        ('[[person]]\nid = 1\nname = "B"\n', "Expected `str`, got `int`"),
        ('[[person]]\nid = "b"\nname = "B"\nrole = "x"\n', "unknown field `role`"),
        ('[roles]\nb = "B"\n', "found 'roles'"),
        ("[[person", "expected TOML"),
    ],
)
def test_a_register_out_of_order_is_refused_with_the_reason(file: Path, more: str, says: str) -> None:
    file.write_text(ORTIZ + more)
    with pytest.raises(ReviewRefused, match=says) as refused:
        read(file)
    assert str(file) in str(refused.value)


@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_a_register_that_others_can_change_is_refused(file: Path, mode: int) -> None:
    file.chmod(mode)
    with pytest.raises(ReviewRefused, match="chmod go-w"):
        read(file)
    file.chmod(0o644)
    assert read(file).find("m.ortiz")


def test_a_register_that_is_not_there_says_how_it_is_made(tmp_path: Path) -> None:
    with pytest.raises(ReviewRefused, match="rack review register ID --name TEXT"):
        read(tmp_path / "persons.toml")


def test_persons_are_added_one_by_one_and_what_stood_there_stays(file: Path) -> None:
    file.write_text("# kept by the office\n" + ORTIZ)
    lee = Person(id="s.lee", name='Sam "Slim" Lee \\', accounts=("s.lee@bellwether.example", "slim"))
    assert register(file, lee).known("Slim") == lee
    assert file.read_text() == "# kept by the office\n" + ORTIZ + "\n" + entry(lee)
    assert [each.id for each in read(file).all] == ["m.ortiz", "s.lee"]
    with pytest.raises(ReviewRefused, match="two names must be two people"):
        register(file, Person(id="sl-im", name="Another"))
    assert [each.name for each in file.parent.iterdir()] == [file.name]


def test_two_registrations_at_once_lose_nobody(file: Path) -> None:
    fresh = file.with_name(".persons.toml.new")
    fresh.touch()
    with pytest.raises(ReviewRefused, match="somebody else is registering"):
        register(file, Person(id="s.lee", name="Sam"))
    assert fresh.exists()
    assert file.read_text() == ORTIZ


def test_the_first_registration_makes_the_file(tmp_path: Path) -> None:
    path = tmp_path / "persons.toml"
    register(path, Person(id="s.lee", name="Sam Lee"))
    assert path.stat().st_mode & 0o022 == 0
    assert read(path).known("s.lee").name == "Sam Lee"


@given(st.from_regex(ID, fullmatch=True), st.data())
def test_case_blanks_and_compatibility_forms_never_make_another_person(name: str, data: st.DataObject) -> None:
    wide = {char: chr(ord(char) + 0xFEE0) for char in map(chr, range(0x21, 0x7F))}
    forms = st.sampled_from([str, str.upper, str.title, lambda text: "".join(wide[char] for char in text)])
    blanks = st.text("  \t\n\u00a0\u200b\u2060\ufeff\u00ad", max_size=3)
    spelling = "".join(data.draw(blanks) + data.draw(forms)(char) for char in name) + data.draw(blanks)
    person = Person(id=name, name="x")
    assert Persons([person], "f").find(spelling) == person
    assert normal(spelling) == normal(normal(spelling))
