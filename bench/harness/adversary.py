"""Families of expensive searches, made from the words of the data set, the same ones in every run.

No two of them are equal to the server, which caches its last results: `key` normalises more than the server does, so
that questions with different keys are different to the server too, regardless of case, accents and punctuation.
"""

import random
import re
import sqlite3
import unicodedata
from collections import Counter
from dataclasses import dataclass

SAMPLE = 20_000
COMMONEST = 150
LONGEST_SEARCH = 200
# The server truncates words to this length.
LONGEST_WORD = 40
LETTERS = "abcdefghijklmnopqrstuvwxyz"
SIGNS = LETTERS + "0123456789"
STOP_WORDS = (
    "a ao aos as com como d da das de do dos e em entre essa esse esta este na nas no nos num numa o os ou para pela pelas pelo pelos por "
    "que se seu seus sua suas um uma umas uns"
).split()
TEXTS = "SELECT company_name, category, kind, description FROM filing WHERE rowid = ?"


@dataclass(frozen=True)
class Search:
    words: str
    limit: int = 20
    offset: int = 0

    @property
    def parameters(self):
        page = {"limit": self.limit, "offset": self.offset}
        return {"q": self.words, **(page if self != Search(self.words) else {})}


def key(words):
    """Keeps only letters and digits, without case, accents, spaces and zeros; truncates words as the server does."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", words.casefold()) if not unicodedata.combining(c))
    return "".join(word[:LONGEST_WORD] for word in re.findall(r"[^\W_]+", plain)).replace("0", "")


# Stop words, and words without letters and digits.
NAMELESS = {"", *map(key, STOP_WORDS)}


class Vocabulary:
    """The words of a sample of filings, the commonest first, and the filings they came from."""

    def __init__(self, texts):
        self.texts = [words_in(text) for text in texts]
        forms = Counter(word for text in self.texts for word in set(text))
        # The most common spelling of each word stands for all of them.
        written = {key(word): word for word, _ in sorted(forms.items(), key=lambda entry: (entry[1], entry[0]))}
        counted = Counter(name for text in self.texts for name in {key(word) for word in text} - NAMELESS)
        self.words = [written[name] for name, _ in sorted(counted.items(), key=lambda entry: (-entry[1], entry[0]))]
        self.common = self.words[:COMMONEST]
        self.rare = self.words[len(self.words) // 2 :]


def texts_of(database_file, filings):
    """Reads the texts of a sample of the database's filings."""
    database = sqlite3.connect(f"file:{database_file}?mode=ro", uri=True)
    places = range(1, filings + 1, max(1, filings // SAMPLE))
    rows = [database.execute(TEXTS, (place,)).fetchone() for place in places]
    database.close()
    return [" ".join(text or "" for text in row) for row in rows if row]


def words_in(text):
    return [word for word in (piece.strip(".,;:()-–/\"'") for piece in text.split()) if word]


def families(texts, size):
    """Makes at most `size` questions in each family, all of them different."""
    vocabulary, asked = Vocabulary(texts), set()
    return {title: distinct(title, draw, vocabulary, size, asked) for title, draw in FAMILIES.items()}


def distinct(title, draw, vocabulary, size, asked):
    """Draws until there are enough. A small family may have fewer different questions."""
    dice, searches = random.Random(title), []
    for _ in range(20 * size):
        drawn = draw(dice, vocabulary)
        search = drawn if isinstance(drawn, Search) else Search(drawn[:LONGEST_SEARCH].strip())
        if len(searches) < size and key(search.words) and key(search.words) not in asked:
            asked.add(key(search.words))
            searches.append(search)
    return searches


def some_of(dice, words, fewest, most):
    return " ".join(dice.sample(words, min(len(words), dice.randint(fewest, most))))


def start_of(dice, words, fewest, most):
    return dice.choice(words)[: dice.randint(fewest, most)]


def nonsense(dice, signs, length=LONGEST_SEARCH):
    return "".join(dice.choice(signs) for _ in range(length))


def spoilt(dice, text):
    """Adds characters that are syntax in other search engines."""
    marks = ["*", "?", "%", "~2", "^4", '"', "'", "(", ")", "[", "]", "{", "}", "\\", ":", "+", "-", "!", "&&", "||", "/", "_", ";", "--"]
    words = [dice.choice(marks) + word + dice.choice(marks) for word in text.split()]
    return dice.choice([" AND ", " OR ", " NOT ", " NEAR ", " "]).join(words)


def accented(dice, text):
    """Adds wrong accents, some as precomposed letters, some as combining marks."""
    marked = "".join(c + dice.choice("\u0301\u0303\u0302\u0308\u0327") if c in "aeioucAEIOUC" and dice.random() < 0.6 else c for c in text)
    return unicodedata.normalize(dice.choice(["NFC", "NFD"]), dice.choice([str.upper, str.lower, str.title])(marked))


def of_one_filing(dice, v):
    """Words that occur together, so that no candidate is dropped early."""
    text = list(dict.fromkeys(dice.choice(v.texts)))
    return some_of(dice, text, 3, 20)


def mistyped(dice, words):
    """One to three words, each with a typing error: a letter missing, doubled or changed, or two letters swapped."""
    return " ".join(slip(dice, word) for word in dice.sample(words, dice.randint(1, 3)))


def slip(dice, word):
    if len(word) < 5 or not word.isalpha():
        return word
    at = dice.randrange(1, len(word) - 1)
    kinds = [word[:at] + word[at + 1 :], word[:at] + word[at] + word[at:], word[:at] + dice.choice(LETTERS) + word[at + 1 :]]
    return dice.choice([*kinds, word[:at] + word[at + 1] + word[at] + word[at + 2 :]])


def never_together(dice, v):
    """Words of several filings, which mostly do not occur together in any."""
    texts = [dice.choice(v.texts) for _ in range(dice.randint(2, 6))]
    return " ".join(dice.choice(text) for text in texts if text) + " " + some_of(dice, v.common, 1, 3)


FAMILIES = {
    "one or two letters": lambda dice, v: nonsense(dice, SIGNS, dice.randint(1, 2)),
    "a prefix of three to five letters": lambda dice, v: start_of(dice, v.words, 3, 5),
    "a common word and one letter": lambda dice, v: f"{dice.choice(v.common)} {dice.choice(SIGNS)}",
    "a common word and a prefix": lambda dice, v: f"{dice.choice(v.common)} {start_of(dice, v.common, 2, 4)}",
    "only stop words": lambda dice, v: some_of(dice, STOP_WORDS, 1, 8),
    "single letters": lambda dice, v: " ".join(nonsense(dice, SIGNS, dice.randint(2, 100))),
    "two of the thirty commonest words": lambda dice, v: some_of(dice, v.common[:30], 2, 2),
    "two common words": lambda dice, v: some_of(dice, v.common, 2, 2),
    "three to five common words": lambda dice, v: some_of(dice, v.common, 3, 5),
    "six to twenty common words": lambda dice, v: some_of(dice, v.common, 6, 20),
    "three to twenty words of one filing": of_one_filing,
    "a rare and a common word": lambda dice, v: " ".join(dice.sample([dice.choice(v.rare), dice.choice(v.common)], 2)),
    "200 letters of nonsense": lambda dice, v: nonsense(dice, dice.choice([LETTERS, LETTERS + "     ", "0123456789 ", "çãéß½ﬁ日本 ", "1a"])),
    "common words with wildcards, operators and punctuation": lambda dice, v: spoilt(dice, some_of(dice, v.common, 1, 4)),
    "quoted phrases": lambda dice, v: f'"{some_of(dice, v.common, 2, 4)}"',
    "common words with other accents and case": lambda dice, v: accented(dice, some_of(dice, v.common, 1, 4)),
    "a far page": lambda dice, v: Search(some_of(dice, v.common, 1, 2), 20, dice.randint(200, 50_000)),
    "a thousand rows of a far page": lambda dice, v: Search(some_of(dice, v.common, 1, 2), 1000, dice.randint(200, 50_000)),
    "mistyped words": lambda dice, v: mistyped(dice, v.words),
    "words that nothing has together": never_together,
}
