#!/usr/bin/env python3
"""Holds the rooms to their order: lint_layers.py [--self-test] [ROOT]

A room includes only rooms below it and names them in its CMakeLists.txt (LINKS, no more and no less); slots
includes only base; sockets and timers, Beast and spdlog stay in the rooms that own them; no file is over
500 lines.
"""

import re
import sys
import tempfile
from pathlib import Path

# From the top down.
ROOMS = ["app", "admin", "proxy", "report", "swap", "slots", "llama", "session", "prompt", "store", "net", "http",
         "json", "config", "telemetry", "tls", "base"]
MAX_LINES = 500
# Who may include what, by the start of the included name. Everyone else may not.
ANYONE = {"boost/asio/buffer.hpp"}  # how Beast's parser takes bytes: no socket in it
OWNERS = [
    (("boost/asio", "sys/socket.h", "sys/epoll.h", "netinet/", "poll.h", "netdb.h"),
     {"app", "admin", "proxy", "swap", "llama", "net", "tls"}),
    (("boost/beast",), {"http"}),
    (("spdlog",), {"telemetry"}),
    (("yaml-cpp",), {"config"}),
    (("openssl/ssl.h", "boost/asio/ssl"), {"tls"}),
]
ONLY_BASE = {"slots"}
# The simulated server and who may use it.
SIM = "llama_sim"
SIM_ROOMS = {"net", "http", "json", "telemetry", "base"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.M)
ROOM_CALL = re.compile(r"slotswap_room\(\s*(\w+)(.*?)\)", re.S)


def code_files(folder):
    return sorted(f for f in folder.rglob("*") if f.suffix in (".hpp", ".cpp", ".py", ".sh") and f.is_file())


def room_of(root, path):
    parts = path.relative_to(root).parts
    if parts[:2] == ("include", "slotswap") and len(parts) > 3:
        return parts[2]
    if parts[0] == "src":
        return parts[1] if len(parts) > 2 else "app"
    if parts[:2] == ("tools", SIM):
        return SIM
    return None


def included_room(name):
    match = re.match(r"slotswap/(\w+)/", name)
    return match.group(1) if match else None


def check_include(room, name):
    other = included_room(name)
    if room == SIM:
        return [] if other in SIM_ROOMS | {SIM, None} else [f"{SIM} includes {other}"]
    if other == SIM and room != "app":
        return [f"{room} includes {SIM}, which only app may"]
    if other and other not in ROOMS + [SIM]:
        return [f"there is no room {other}"]
    found = []
    if other and other != SIM and ROOMS.index(other) < ROOMS.index(room):
        found.append(f"{room} includes {other}, which stands above it")
    if other and room in ONLY_BASE and other not in ("base", room):
        found.append(f"{room} includes {other}, it may only include base")
    for starts, owners in OWNERS:
        if name.startswith(starts) and room not in owners and name not in ANYONE:
            found.append(f"{room} includes {name}, which belongs to {', '.join(sorted(owners))}")
    return found


def links_of(cmake_file):
    """The LINKS of each slotswap_room() in a CMakeLists.txt."""
    links = {}
    for room, rest in ROOM_CALL.findall(re.sub(r"#[^\n]*", "", cmake_file.read_text())):
        words, inside = rest.split(), False
        links[room] = set()
        for word in words:
            if word in ("SOURCES", "LIBS", "LINKS"):
                inside = word == "LINKS"
            elif inside:
                links[room].add(word)
    return links


def check_links(root, used):
    found = []
    for cmake_file in sorted((root / "src").glob("*/CMakeLists.txt")):
        for room, links in links_of(cmake_file).items():
            includes = used.get(room, set()) - {room, SIM}
            links = links - {SIM}
            for other in sorted(includes - links):
                found.append(f"{cmake_file}: {room} includes {other}, LINKS does not name it")
            for other in sorted(links - includes):
                found.append(f"{cmake_file}: {room} links {other} and includes nothing of it")
    return found


def check(root):
    found, used = [], {}
    for folder in ("include", "src", "tools", "tests"):
        for path in code_files(root / folder):
            text = path.read_text()
            lines = text.count("\n")
            if lines > MAX_LINES:
                found.append(f"{path}: {lines} lines, the most is {MAX_LINES}")
            room = room_of(root, path)
            if not room:
                continue
            for match in INCLUDE.finditer(text):
                line = text.count("\n", 0, match.start(1)) + 1
                found += [f"{path}:{line}: {what}" for what in check_include(room, match.group(1))]
                other = included_room(match.group(1))
                if other:
                    used.setdefault(room, set()).add(other)
    return found + check_links(root, used)


# Room, its file's text, its LINKS, and a part of the finding (empty: none).
CASES = [
    ("swap", "#include <slotswap/base/a.hpp>", "base", ""),
    ("swap", "#include <slotswap/swap/b.hpp>", "", ""),
    ("swap", "#include <slotswap/proxy/a.hpp>", "proxy", "stands above it"),
    ("base", "#include <slotswap/net/a.hpp>", "net", "stands above it"),
    ("swap", "#include <slotswap/attic/a.hpp>", "attic", "no room attic"),
    ("slots", "#include <slotswap/json/a.hpp>", "json", "may only include base"),
    ("http", "#include <boost/asio/steady_timer.hpp>", "", "belongs to"),
    ("http", "#include <boost/asio/buffer.hpp>", "", ""),
    ("http", "#  include <sys/socket.h>", "", "belongs to"),
    ("http", "#include <boost/beast/http.hpp>", "", ""),
    ("net", "#include <boost/beast/http.hpp>", "", "belongs to http"),
    ("net", "#include <boost/asio/ip/tcp.hpp>", "", ""),
    ("net", "#include <openssl/ssl.h>", "", "belongs to tls"),
    ("proxy", "#include <spdlog/spdlog.h>", "", "belongs to telemetry"),
    ("swap", "#include <slotswap/base/a.hpp>", "", "LINKS does not name it"),
    ("swap", "int x;", "base", "includes nothing of it"),
    ("proxy", "#include <slotswap/llama_sim/a.hpp>", "", "only app may"),
    ("app", "#include <slotswap/llama_sim/a.hpp>", "llama_sim", ""),
    ("swap", "\n" * 501, "", "501 lines"),
    ("swap", "// #include <slotswap/proxy/a.hpp>", "", ""),
]


def self_test():
    wrong = []
    for room, text, links, expected in CASES:
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder)
            (root / "src" / room).mkdir(parents=True)
            (root / "src" / room / "a.cpp").write_text(text)
            (root / "src" / room / "CMakeLists.txt").write_text(
                f"slotswap_room({room} SOURCES a.cpp LINKS {links} LIBS Boost::headers)\n")
            found = check(root)
            if (bool(found) != bool(expected)) or not any(expected in f for f in found or [""]):
                wrong.append(f"{room} {text[:60]!r} LINKS {links!r}: expected {expected!r}, found {found}")
    print("\n".join(wrong + [f"lint_layers: {len(CASES) - len(wrong)} of {len(CASES)} cases right"]))
    return not wrong


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    found = [f.replace(f"{root}/", "") for f in check(root)]
    print("\n".join(found + [f"lint_layers: {len(found)} findings"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
