"""A hook of mkdocs: an option, such as `--checks`, does not break behind its dashes."""

import re


def whole(code):
    return re.sub(r"(?<![\w-])--?[a-z][\w-]*", r'<span class="option">\g<0></span>', code.group())


def on_page_content(html, **_):
    return re.sub(r"<code>[^<]*</code>", whole, html)
