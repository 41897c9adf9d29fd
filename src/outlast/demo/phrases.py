"""What people write into tasks, the awkward included: what a file format, a spreadsheet or a parser may trip over."""

VERBS = ("Review", "Send", "Update", "Call back about", "Prepare", "Translate", "Archive", "Fix", "Plan", "Sign")
OBJECTS = (
    "the quarterly report",
    "invoice #4711",
    "the “Café Müller” offer",
    "the onboarding slides",
    "the data protection form",
    "supplier prices, incl. VAT",
    "the 3½ m desk",
    "release notes",
    'the "final" contract',
    "Zoë's travel costs",
)
AREAS = (
    "",
    "",
    "",
    " for the board",
    " before Friday",
    ", then tell Søren",
    " (again)",
    " 🚀",
    " / phase 2",
    " & follow up",
)

AWKWARD_TITLES = (
    '=HYPERLINK("https://example.org","open me")',
    "+49 30 1234567: ring back",
    "-5 % discount?",
    "@everyone: lunch",
    "\tindented by a tab",
    "  spaces on both sides  ",
    "'quoted'",
    '"',
    '","',
    "NULL",
    "0012",
    "1e5",
    "12345678901234567890",
    "2026-02-30",
    "請款單を確認する",
    "مراجعة العقد قبل يوم الخميس",
    "לבדוק את החוזה, \u200f(דחוף)",
    "👩‍👩‍👧‍👦 family day 🇪🇺",
    "Cafe\u0301 and Café are not the same bytes",
    "\ufeffstarts with a byte order mark",
    "<b>bold</b> &amp; {braces} %s",
    "'); DROP TABLE tasks;--",
    "C:\\temp\\new\\",
)

SENTENCES = (
    "Ask Amina, Jürgen or 李明 first.",
    'She said: "by Monday, please".',
    "See https://example.org/a?b=1&c=2#d for details.",
    "Costs 1.234,56 € (or £1,050.00; it depends).",
    "Waiting for the supplier — no answer since May.",
    "Don't forget the appendix; page 3 is missing.",
    "Done when the totals match.",
    "Жду ответа от коллег.",
    "ok 👍🏽",
)

AWKWARD_DESCRIPTIONS = (
    "First line\nsecond line\n\nfourth line",
    "From a letter:\r\n\r\n  Dear all,\r\n  see below.\r\n",
    "An old line end\rand the rest",
    "Separators: \u2028 line, \u2029 paragraph, \x85 next line",
    "a,b;c\td|e",
    '"all of it quoted"',
    'odd "quote',
    '""',
    ",",
    "\n",
    " ",
    "null",
    "\\N",
    "=1+1",
    "=cmd|' /C calc'!A0",
    "-2+3",
    '{"json": [1, 2.50, null], "text": "\\u0041"}',
    "هذا نص عربي، وفيه فاصلة.\nוגם שורה בעברית",  # noqa: RUF001 - Hebrew
    "🧑‍🚀" * 40,
)
