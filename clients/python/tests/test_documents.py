"""The recipes of the README, docs/recipes.md and docs/python.md, run against the real service."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent.parent
README = HERE / "README.md"
PAGE = HERE.parent.parent / "docs" / "python.md"
RECIPES = HERE.parent.parent / "docs" / "recipes.md"


def blocks(path: Path) -> list[str]:
    return re.findall(r"^```python\n(.*?)^```", path.read_text(), re.MULTILINE | re.DOTALL)


@pytest.fixture
def _settled(url: str, gold_key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LASTRO_URL", url)
    monkeypatch.setenv("LASTRO_API_KEY", gold_key)
    monkeypatch.setenv("MPLBACKEND", "Agg")
    monkeypatch.chdir(tmp_path)


@pytest.mark.usefixtures("_settled")
@pytest.mark.parametrize(
    "recipe", blocks(README) + blocks(RECIPES), ids=lambda code: str(code.strip().splitlines()[-1])[:40]
)
def test_a_recipe_runs(recipe: str) -> None:
    exec(compile(recipe, str(README), "exec"), {"__name__": "__main__"})


@pytest.mark.usefixtures("_settled")
def test_the_page_runs_from_top_to_bottom() -> None:
    pytest.importorskip("matplotlib")
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(PAGE):
        exec(compile(block, str(PAGE), "exec"), namespace)


def test_there_are_ten_recipes() -> None:
    assert len(blocks(README)) == 10
