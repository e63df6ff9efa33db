"""Checks HTML reports with the parsers of Python.

usage: check_html.py FILE...

A page must be well formed XML, hold no script and no event handler, refer to nothing outside of
itself, have its headings in order, tables with as many cells in every row as in the header, and
drawings with a role, a label and no negative size. Prints one line per finding; exits 1 when there
is any.
"""

import re
import sys
import xml.etree.ElementTree as ElementTree
from html.parser import HTMLParser

REFERENCES = ("href", "src", "action", "data", "poster", "srcset", "xlink:href")


class Page(HTMLParser):
    """What the parser for HTML sees: elements with attributes, and the text of style sheets."""

    def __init__(self):
        super().__init__()
        self.elements = []
        self.styles = ""
        self.in_style = False

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        self.in_style = tag == "style"

    def handle_endtag(self, tag):
        if tag == "style":
            self.in_style = False

    def handle_data(self, data):
        if self.in_style:
            self.styles += data


def check_references(page, ids):
    for tag, attributes in page.elements:
        if tag in ("script", "iframe", "object", "embed", "link", "base"):
            yield f"an element {tag}"
        for name, value in attributes.items():
            if name.startswith("on"):
                yield f"a handler {name} of {tag}"
            if name in REFERENCES and not value.startswith("#"):
                yield f"{tag} refers to {value}"
            if name in REFERENCES and value.startswith("#") and value[1:] not in ids:
                yield f"{tag} refers to {value}, which does not exist"
    if re.search(r"@import|url\s*\(|expression\s*\(", page.styles):
        yield "a style sheet that loads something"


def check_headings(page):
    last = 0
    for tag, _ in page.elements:
        if not re.fullmatch(r"h[1-6]", tag):
            continue
        level = int(tag[1])
        if level > last + 1:
            yield f"a heading {tag} below one of level {last}"
        last = level


def check_tables(root):
    for table in root.iter("table"):
        sizes = {len(row) for row in table.iter("tr")}
        if len(sizes) != 1:
            yield f"a table whose rows have {sorted(sizes)} cells"


def check_drawings(root):
    for drawing in root.iter("svg"):
        if drawing.get("role") != "img" or not drawing.get("aria-label"):
            yield "a drawing without a role or label"
        box = drawing.get("viewBox", "").split()
        if len(box) != 4 or float(box[2]) <= 0 or float(box[3]) <= 0:
            yield f"a drawing of the size {box}"
        for shape in drawing.iter():
            for name in ("width", "height", "r"):
                if float(shape.get(name, "0")) < 0:
                    yield f"a {shape.tag} with a negative {name}"


def findings(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if not text.startswith("<!DOCTYPE html>\n"):
        yield "no document type"
    try:
        root = ElementTree.fromstring(text)
    except ElementTree.ParseError as error:
        yield f"not well formed: {error}"
        return
    page = Page()
    page.feed(text)
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    if len(ids) != len(set(ids)):
        yield "an id that stands there twice"
    titles = [element for element in root.iter("title")]
    if not titles or not titles[0].text:
        yield "no title"
    yield from check_references(page, set(ids))
    yield from check_headings(page)
    yield from check_tables(root)
    yield from check_drawings(root)


def main() -> int:
    count = 0
    for path in sys.argv[1:]:
        for finding in findings(path):
            print(f"{path}: {finding}")
            count += 1
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
