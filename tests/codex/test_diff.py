"""What a diff is about, by its shape."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rawr.codex.diff import digest, shape
from rawr.core.vocabulary.facts import FileDelta

REAL = """\
diff --git a/empty.md b/empty.md
new file mode 100644
index 0000000000000000000000000000000000000000..e69de29bb2d1d6434b8b29ae775ad8c2e48c5391
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
index 587be6b4c3f93f93c489c0111bba5596147a26cb..0000000000000000000000000000000000000000
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/naïve file b/x.md b/naïve file b/x.md
new file mode 100644
index 0000000000000000000000000000000000000000..d579581cc44bc9d4a7869c1be5d6a4a858412093
--- /dev/null
+++ b/naïve file b/x.md
@@ -0,0 +1,2 @@
+# Notes
+naïve
diff --git a/old.txt b/sub/new name.txt
index de980441c3ab03a8c07dda1ad27b8a11f39deb1e..7be73ce3c1b1cdaea86e8168dfee8575175953bf
--- a/old.txt
+++ b/sub/new name.txt
@@ -1,3 +1,3 @@
 a
-b
+B
 c
diff --git a/qu"ote.md b/qu"ote.md
new file mode 100644
index 0000000000000000000000000000000000000000..bca70f35318f31dd1d1d1d2d2e64c19b880899ff
--- /dev/null
+++ b/qu"ote.md
@@ -0,0 +1 @@
+q
diff --git a/sql.txt b/sql.txt
index add85607b2fd2a7b2f22ab073032a0ae9289dcc7..b947c66f0caaa549c896528fdabf93357ef94651
--- a/sql.txt
+++ b/sql.txt
@@ -1,2 +1,2 @@
--- x
+++ z
 ++ y
"""
"""From the real Codex 0.163.0: an empty file, one deleted, spaces, a move, a quote, lines that look like headers."""


def test_a_real_diff() -> None:
    assert shape(REAL) == [
        FileDelta("empty.md", 0, 0),
        FileDelta("gone.txt", 0, 1),
        FileDelta("naïve file b/x.md", 2, 0),
        FileDelta("sub/new name.txt", 1, 1),
        FileDelta('qu"ote.md', 1, 0),
        FileDelta("sql.txt", 1, 1),
    ]


def test_two_diffs_are_told_apart_by_their_digest() -> None:
    assert digest(REAL) == digest(REAL)
    assert digest(REAL) != digest(REAL + " ")
    assert len(digest("")) == 16


@pytest.mark.parametrize(
    ("diff", "files"),
    [
        ("", []),
        ("just words\n", []),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", [FileDelta("x", 1, 1)]),
        ("diff --git a/x b/x\nold mode 100644\nnew mode 100755\n", [FileDelta("x", 0, 0)]),
        ("diff --git a/x b/x\nBinary files a/x and b/x differ\n", [FileDelta("x", 0, 0)]),
        ("diff --git nonsense\n", [FileDelta("nonsense", 0, 0)]),
        ("diff --git a/x b/x\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n", [FileDelta("x", 1, 1)]),
        # A hunk that is cut off is counted as far as it goes.
        ("diff --git a/x b/x\n@@ -1,9 +1,9 @@\n-a\n+b", [FileDelta("x", 1, 1)]),
        # A number that no file can have is not one.
        (f"diff --git a/x b/x\n@@ -1,{'9' * 5_000} +1 @@\n-a\n", [FileDelta("x", 0, 0)]),
    ],
)
def test_odd_diffs(diff: str, files: list[FileDelta]) -> None:
    assert shape(diff) == files


HEADERS = ("diff --git a/x b/x", "--- a/x", "+++ b/x", "+++ /dev/null", "@@ -1,2 +3 @@", "@@ -0,0 +1 @@", "+", "-", " ")


@given(st.lists(st.sampled_from(HEADERS) | st.text(max_size=20)).map("\n".join) | st.text())
def test_no_text_makes_it_raise(diff: str) -> None:
    counted = shape(diff)
    assert sum(one.added + one.removed for one in counted) <= len(diff.split("\n"))
    assert len(digest(diff)) == 16


def test_a_large_diff_takes_time_in_proportion() -> None:
    """10 MB of the words that the patterns look for: quadratic work would take minutes."""
    began = time.process_time()
    shape("diff --git a/" + " b/" * 3_000_000)
    shape("@@ -1," * 1_500_000)
    shape("diff --git a/x b/x\n" * 500_000)
    assert time.process_time() - began < 10
