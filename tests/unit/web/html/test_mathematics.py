"""Formulas as MathML: within bounds, from an allow-list, and rejected as a whole otherwise."""

from xml.etree.ElementTree import Element, SubElement

import pytest

from wakeful.web.html.mathematics import LONGEST_FORMULA, _UnreadableError, _written, mathml


def test_a_formula_is_read_up_to_a_length() -> None:
    assert mathml("x" * LONGEST_FORMULA, is_block=False) is not None
    assert mathml("x" * (LONGEST_FORMULA + 1), is_block=False) is None


@pytest.mark.parametrize("is_block", [True, False])
def test_a_formula_stands_alone_or_in_its_line(is_block: bool) -> None:
    kind = "block" if is_block else "inline"
    assert mathml("x", is_block=is_block) == f'<math display="{kind}"><mrow><mi>x</mi></mrow></math>'


@pytest.mark.parametrize(
    "latex", ["\\newcommand{\\a}{b} x", "\\renewcommand{\\a}{b}", "\\def\\a{b}", "\\href{x}{y}", "\\unknown", "{"]
)
def test_what_is_not_read_makes_the_whole_formula_unreadable(latex: str) -> None:
    assert mathml(latex, is_block=False) is None


def element(tag: str = "mi", text: str = "x", **attributes: str) -> Element:
    made = Element(tag, attributes)
    made.text = text
    return made


@pytest.mark.parametrize(
    ("made", "written"),
    [
        (element(), "<mi>x</mi>"),
        (element(text="&lt;a&#x00042;"), "<mi>&lt;aB</mi>"),
        (element(text="&#x00041;"), '<mi mathvariant="normal">A</mi>'),
        (element("mo", "&#x00041;"), "<mo>A</mo>"),
        (element("mi", "&#x00040;"), "<mi>@</mi>"),
        (element("mspace", "", width="30em"), '<mspace width="30em"></mspace>'),
        (element("mspace", "", width="-0.5em"), '<mspace width="-0.5em"></mspace>'),
        (element(mathcolor="url(x)", mathbackground="red"), "<mi>x</mi>"),
    ],
)
def test_an_element_is_written_anew(made: Element, written: str) -> None:
    assert _written(made) == written


@pytest.mark.parametrize(
    "made",
    [
        element("script"),
        element(onclick="x"),
        element(href="x"),
        element(width="javascript:x"),
        element(width="w" * 61),
        element("mspace", "", width="30.5em"),
        element("mspace", "", width="1 31"),
        element(text="\\a"),
    ],
)
def test_an_element_that_is_not_allowed_is_refused_wherever_it_is(made: Element) -> None:
    with pytest.raises(_UnreadableError):
        _written(made)
    row = element("mrow", "")
    row.append(made)
    with pytest.raises(_UnreadableError):
        _written(row)


def test_words_between_elements_stay_where_they_are() -> None:
    row = element("mrow", "a")
    for text, tail in (("b", "c"), ("d", "<e")):
        child = SubElement(row, "mi")
        child.text, child.tail = text, tail

    assert _written(row) == "<mrow>a<mi>b</mi>c<mi>d</mi>&lt;e</mrow>"
