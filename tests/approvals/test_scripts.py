"""C10: scripts of sed, awk and jq that can only print, and that end."""

import pytest

from rawr.approvals.programs import awk, jq, sed


@pytest.mark.parametrize(
    "script",
    ["p", "1,5p", "$!d", "/a/,/b/p", "/a/,+3p", "1~2d", "s/a/b/", "s/a/b/gp", "s|a|b|2", "s/[^/]//",
     "s/[[:alpha:]]*/x/", "y/a/b/",
     "1!G;h;$!d", "{p;p}", "/a/{s/x/y/;p}", "/a/I p", "5q", "q3", "=", "s/a\\/b/c/", "s,a,b,;s,c,d,",
     "s/\\[x\\]/y/", "s/[]x]/y/", "s/[^]x]/y/", "/x/!{ p; d }"],
)  # fmt: skip
def test_sed_only_prints(script: str) -> None:
    expected = script != "s/[^/]//"
    assert sed.only_prints(script) is expected


@pytest.mark.parametrize(
    "script",
    ["e", "1e", "w x", "r x", "R x", "W x", "s/a/b/e", "s/a/b/w x", "s/a/b/ge", "p;e", "p\ne", "{e\n}", "a x",
     "i x", "c x", "b", "t",
     ":a", "F", "s/[/]/e x/", "s/a/b", "s", "1,", "\\,a,p", "v", "#n", "s/a/b/;w x", "y/a/b/e", "sxaxbxe",
     "l 5", "pe", "é", "s/[\\]/A/;/]/p;s|/w f|q|", "s/[]/A/;/]/p;s|/w f|q|", "s/[^]/x/", "/[/p"],
)  # fmt: skip
def test_sed_that_may_do_more(script: str) -> None:
    assert not sed.only_prints(script)


@pytest.mark.parametrize(
    "program",
    ["{print}", "{print $1}", "NR>5", "/a/", "/a[bc]/{print}", "$1 ~ /x/", "END{print NR}",
     "{s+=$1} END{print s}", "!a[$0]++",
     '{print "a" $1}', "NR==1,NR==3", '{printf "%s\\n", $2}', "{if ($1 == 2) print}", "length($0) > 80",
     "$1 > 2 && $2 < 3"],
)  # fmt: skip
def test_awk_only_prints(program: str) -> None:
    assert awk.only_prints(program)


@pytest.mark.parametrize(
    "program",
    ['{system("x")}', '{print > "x"}', '{print >> "x"}', '{print | "x"}', '{"x" | getline}', "{getline}",
     "BEGIN{ENVIRON}",
     "{ARGV[1]=2}", "@load", "{f(1)}", "{a/b}", "{1/2>3/4}", "function f() {}", "{print", "}", "{close(1)}",
     "{print `x`}", "{'x'}",
     '{print "a" > "b"}', "{x = /a/ > /b/}", "/[/]/{print > 1}", '{ print |& "sh" }', "{fflush()}",
     "BEGIN{PROCINFO[1]}"],
)  # fmt: skip
def test_awk_that_may_do_more(program: str) -> None:
    assert not awk.only_prints(program)


@pytest.mark.parametrize(
    "filter_",
    [".", ".scripts", ".scripts | keys[]", ".[] | {name, version}", '.[] | select(.a == "b") | .c', '.a["b"]',
     '[.[] | .name] | join(",")', ".items[0].name", 'to_entries[] | "\\(.key)=\\(.value)"', "map(select(.x > 3))",
     ".[] | [.a,.b,.c] | @tsv", '.a // "none"', ".a?", "if .a then .b else .c end", ".[-1]", ".[2:5]",
     "{a: [.x[].n], b: [.y[].n]}", ".. | strings", "map(.a + .b)", ".a.b[].c[].d", "[.a[],.b[]]",
     '.p | to_entries[] | select(.value.version == "1") | .key'],
)  # fmt: skip
def test_jq_only_selects(filter_: str) -> None:
    assert jq.only_selects(filter_)


@pytest.mark.parametrize(
    "filter_",
    ["repeat(1)", "range(9)", "def f: f; f", "env", "$ENV", "$x", '"\\(env)"', 'import "a" as b; .', "input_filename",
     ".[]+.[]", "{a:.[],b:.[]}", ".[.[]][.[]]", "(.[]|.)==(.[]|.)", ".a = 1", ".a |= 1", '"x" * 3', "1e999",
     ".[9999999]",
     "..|..|..", "(" * 40 + "." + ")" * 40, '@sh "\\(.[])\\(.[])"', "walk(.)", "limit(9;repeat(1))", "halt_error"],
)  # fmt: skip
def test_jq_that_may_do_more(filter_: str) -> None:
    assert not jq.only_selects(filter_)
