#!/usr/bin/env python3
"""Finds coroutine expressions that g++ 12 compiles wrongly: lint_coroutines.py [--self-test] [FILE...]

A full expression with co_await destroys twice any temporary that is an aggregate with a non-trivial member;
a lambda that captures by value is one. So a statement with co_await may have no such lambda and no braced
temporary: name it first. Nor may a co_await stand in a condition or beside && || ?: the frame's slots are
mixed up then (seen: a wild `this` after `if (!co_await f()) co_return;`, and an internal compiler error). Braces of a type with a constructor are safe; say so at the end of the line with
"// lint: has a constructor". Without FILE: all of include, src, tests and tools.
"""

import re
import sys
from pathlib import Path

PERMIT = "lint: has a constructor"
# Trivially destructible, or a class with constructors.
SAFE_TYPES = {
    "bool", "char", "int", "long", "short", "unsigned", "float", "double", "size_t", "uint8_t", "uint16_t",
    "uint32_t", "uint64_t", "int64_t", "byte", "nanoseconds", "microseconds", "milliseconds", "seconds",
    "minutes", "hours", "Milliseconds", "Seconds", "string", "string_view", "error_code", "monostate",
}
CONTROL = {"if", "for", "while", "switch", "catch"}
BLOCK_HEADS = {"struct", "class", "enum", "union", "namespace", "extern"}
TOKEN = re.compile(
    r'R"(?P<d>[^()\s\\]*)\(.*?\)(?P=d)"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    r"|[A-Za-z_]\w*|\.?\d(?:[\w.]|'\w)*|::|->|&&|\|\||<=|>=|==|!=|\S",
    re.S,
)
COMMENT = re.compile(
    r'//[^\n]*|/\*.*?\*/|(R"([^()\s\\]*)\(.*?\)\2"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])*\')', re.S
)


class Token(str):
    line = 0


def blank_comments(text):
    """Comments become spaces, lines stay; preprocessor lines go too."""

    def keep(match):
        return match.group(1) if match.group(1) else re.sub(r"[^\n]", " ", match.group(0))

    text = COMMENT.sub(keep, text)
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", lambda m: "\n" * m.group(0).count("\n"), text, flags=re.M)


def tokenize(text):
    tokens, line, last = [], 1, 0
    for match in TOKEN.finditer(text):
        line += text.count("\n", last, match.start())
        last = match.start()
        token = Token(match.group(0))
        token.line = line
        tokens.append(token)
    return tokens


def is_word(token):
    return token[0].isalpha() or token[0] == "_"


class Checker:
    def __init__(self, tokens, permitted_lines):
        self.tokens, self.permitted = tokens, permitted_lines
        self.found = []

    def match(self, index):
        """The index of the bracket that closes the one at index."""
        depth = 0
        for i in range(index, len(self.tokens)):
            if self.tokens[i] in ("(", "[", "{"):
                depth += 1
            elif self.tokens[i] in (")", "]", "}"):
                depth -= 1
                if depth == 0:
                    return i
        return len(self.tokens) - 1

    def before_type(self, start, index):
        """The index before a type's name that ends just before index: over a::b<c>."""
        i = index - 1
        while i >= start:
            if self.tokens[i] == ">":
                depth = 0
                while i >= start:
                    depth += {">": 1, "<": -1}.get(self.tokens[i], 0)
                    i -= 1
                    if depth == 0:
                        break
            elif self.tokens[i] in ("::", "*", "&", "&&") or (
                is_word(self.tokens[i]) and self.tokens[i] not in ("return", "co_return", "co_await", "throw")
            ):
                i -= 1
            else:
                break
        return i

    def opens_block(self, start, index):
        """Whether the brace at index opens statements or declarations, and no initializer."""
        if index == start:
            return True
        previous = self.tokens[index - 1]
        if previous in (")", "]", ";", "}", ":") or previous in (
            "else", "do", "try", "const", "noexcept", "mutable", "override", "final",
        ):
            return True
        if BLOCK_HEADS & set(self.tokens[start:index]) and "(" not in self.tokens[start:index]:
            return True
        before = self.before_type(start, index)
        return before >= start and self.tokens[before] == "->" and self.tokens[before - 1] in (")", "noexcept", "mutable")

    def by_value_capture(self, start, index):
        """Whether the bracket at index begins a lambda that copies something."""
        if index > start:
            previous = self.tokens[index - 1]
            if previous in (")", "]") or (is_word(previous) and previous not in ("return", "co_return", "co_await")):
                return False
            back = index - 1
            while back >= start and self.tokens[back] in ("&", "&&", "const"):
                back -= 1
            if self.tokens[back] == "auto":
                return False
        first, depth = True, 0
        for i in range(index + 1, self.match(index)):
            token = self.tokens[i]
            if first and depth == 0 and token not in ("&", "this"):
                return True
            depth += {"(": 1, "{": 1, "[": 1, ")": -1, "}": -1, "]": -1}.get(token, 0)
            first = token == "," and depth == 0
        return False

    def unsafe_braces(self, start, index):
        previous = self.tokens[index - 1]
        return not (previous in SAFE_TYPES or self.tokens[index].line in self.permitted)

    def statements(self, i, end):
        """Walks the statements in [i, end)."""
        while i < end:
            i = self.statement(i, end)

    def statement(self, start, end):
        i = start
        awaits, branches, suspects = False, [], []
        while i < end:
            token = self.tokens[i]
            if token == ";" or (token == "}" and i >= end - 1):
                i += 1
                break
            if token in CONTROL and i + 1 < end:
                condition = i + 1
                while condition < end and self.tokens[condition] != "(":
                    condition += 1
                close = self.match(condition)
                if "co_await" in self.tokens[condition:close]:
                    self.found.append((token.line, "a co_await in a condition"))
                self.statements(condition + 1, close)
                return close + 1
            if token in ("co_await", "co_yield"):
                awaits = True
            elif token in ("&&", "||", "?") and self.tokens[i - 1] not in ("auto", "const"):
                branches.append((token.line, "a co_await beside a branch of its expression"))
            elif token == "[" and self.tokens[i + 1] == "[":
                i = self.match(i)
            elif token == "[" and self.by_value_capture(start, i):
                suspects.append((token.line, "a lambda that captures by value"))
                i = self.match(i)
            elif token == "{":
                close = self.match(i)
                if self.opens_block(start, i):
                    self.statements(i + 1, close)
                    i = close
                    if self.ends_statement(start, close):
                        i += 1
                        break
                elif self.unsafe_braces(start, i):
                    suspects.append((token.line, "a braced temporary"))
            i += 1
        if awaits:
            self.found += suspects + branches
        return i

    def ends_statement(self, start, close):
        """A block ends its statement unless it is a lambda's body inside an expression."""
        depth = 0
        for token in self.tokens[start:close]:
            depth += {"(": 1, ")": -1}.get(token, 0)
        after = self.tokens[close + 1] if close + 1 < len(self.tokens) else "}"
        return depth == 0 and after not in ("(", ")", ",", ";", ".")


def check_text(text):
    permitted = {n for n, line in enumerate(text.split("\n"), 1) if PERMIT in line}
    tokens = tokenize(blank_comments(text))
    checker = Checker(tokens, permitted)
    checker.statements(0, len(tokens))
    return sorted(set(checker.found))


BAD = [
    "auto f() { co_await g(Options{s, 1}); }",
    "auto f() { co_await g({s, 1}); }",
    "auto f() { co_await g({.host = s}); }",
    "auto f() { co_return co_await g(a::b<int>{s}); }",
    "auto f() { auto x = co_await (g(O{s}) || h()); }",
    "auto f() { if (co_await g(O{s})) { h(); } }",
    "auto f() { while (auto x = co_await g({s})) h(); }",
    "auto f() { for (auto x : co_await g({s})) h(); }",
    "auto f() { Options o{s, (co_await g()).x}; }",
    "auto f() { co_await g([s] { h(); }); }",
    "auto f() { co_await g([=] { h(); }); }",
    "auto f() { co_await g([&a, s] { h(); }); }",
    "auto f() { co_await g([p = std::move(q)]() mutable { h(); }); }",
    "auto f() { co_await g([*this] { h(); }); }",
    "auto f() { co_spawn(co_await this_coro::executor, [s] { h(); }, detached); }",
    "auto f() { co_await [s]() -> awaitable<void> { co_return; }(); }",
    "auto f() {\n  auto h = [&]() -> awaitable<void> {\n    co_await g({s});\n  };\n}",
    "auto f() -> awaitable<std::vector<int>> { co_await g(T{s}); }",
    "struct S { awaitable<void> f() const { co_await g(T{s}); } };",
    "namespace a { namespace { awaitable<void> f() { co_await g(T{s}); } } }",
    "S::S() : a_{1}, b_{2} {}\nauto f() { co_await g(T{s}); }",
    "auto f() { switch (x) { case E::a: co_await g(T{s}); } }",
    "auto f() { try { h(); } catch (E const& e) { h(); } co_await g(T{s}); }",
    "auto f() { auto x = y[0]; co_await g(std::array<S, 2>{a, b}); }",
    "auto f() { if (a) co_await g(T{s}); else h(); }",
    "auto f() { if (!co_await g()) co_return; }",
    "auto f() { while (co_await g()) h(); }",
    "auto f() { auto const x = a && co_await g(); }",
    "auto f() { auto const x = a ? co_await g() : b; }",
    "auto f() { co_await g(\"}{\", T{s}); }",
    "auto f() { char c = '{'; int n = 1'000; co_await g(T{s}); }",
]
GOOD = [
    "auto f() { Options o{s, 1}; co_await g(o); }",
    "auto f() { auto const o = Options{s, 1}; co_await g(o); }",
    "auto f() { auto h = [s] { k(); }; co_await g(h); }",
    "auto f() { co_await g([&s] { h(); }); }",
    "auto f() { co_await g([&] { h(); }); }",
    "auto f() { co_await g([this] { h(); }); }",
    "auto f() { co_await g([] { return T{1}; }); }",
    "auto f() { co_await g([](auto x) -> T { return T{x}; }); }",
    "auto f() { co_await g(std::chrono::seconds{5}); }",
    "auto f() { co_await g(std::string{\"a\"}); }",
    "auto f() { co_await g(Deadline{5});  // lint: has a constructor\n}",
    "auto f() { auto [a, b] = co_await g(); }",
    "auto f() { auto const& [a, b] = co_await g(); }",
    "auto f() { co_await g(x[i], y[j](k)); }",
    "auto f() { auto h = [s]() -> awaitable<void> { co_await g(s); }; }",
    "auto f() { run([s]() -> awaitable<void> { co_await g(s); }, T{1}); }",
    "auto f() { co_return T{a, b}; }",
    "auto f() { auto w = g(T{s}); co_await std::move(w); }",
    "auto f() { auto&& x = co_await g(); if (a && x) h(); }",
    "auto f() { for (auto x = T{s}; x; ) co_await g(x); }",
    "auto f() { if (a) { co_await g(); } h(T{s}); }",
    "auto f() { // co_await g(T{s});\n /* co_await g({s}); */ }",
    "auto f() { h(\"co_await g(T{s})\"); T t{s}; }",
    "#define X co_await g(T{s})\nauto f() {}",
    "struct A { int x{0}; T t{s}; awaitable<void> f() { co_await g(); } };",
    "enum class E { a, b };\nauto f() { co_await g(); }",
    "auto f() -> awaitable<void> { co_await g(); }",
    "[[nodiscard]] awaitable<void> f() { [[maybe_unused]] auto x = co_await g(); }",
]


def self_test():
    wrong = [f"not found: {text!r}" for text in BAD if not check_text(text)]
    wrong += [f"found {check_text(text)}: {text!r}" for text in GOOD if check_text(text)]
    print("\n".join(wrong + [f"lint_coroutines: {len(BAD) + len(GOOD) - len(wrong)} of {len(BAD) + len(GOOD)} snippets right"]))
    return not wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    files = [Path(name) for name in sys.argv[1:]]
    if not files:
        root = Path(__file__).resolve().parent.parent
        files = [f for d in ("include", "src", "tests", "tools") for f in sorted((root / d).rglob("*.[ch]pp"))]
    findings = [f"{path}:{line}: {what} in a statement with co_await" for path in files
                for line, what in check_text(path.read_text())]
    print("\n".join(findings + [f"lint_coroutines: {len(files)} files, {len(findings)} findings"]))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
