"""What is asked of the real llama-server for tests/transparency: groups of requests, each group on a server of its own."""
import dataclasses
import json

HOST = "llama.example"
TALK = [{"role": "user", "content": "hello"}]


@dataclasses.dataclass
class Case:
    name: str
    method: str
    request: bytes


@dataclasses.dataclass
class Group:
    name: str
    arguments: list
    cases: list


def request(name, method, target, body=None, headers=(), version="1.1"):
    """body: an object, written as JSON, or bytes as they are."""
    raw = b"" if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    lines = [f"{method} {target} HTTP/{version}", f"Host: {HOST}", *headers]
    if body is not None and not any(line.lower().startswith(("content-length:", "transfer-encoding:")) for line in lines):
        lines += ["Content-Type: application/json", f"Content-Length: {len(raw)}"]
    return Case(name, method, "\r\n".join([*lines, "", ""]).encode() + raw)


def get(name, target, headers=(), **more):
    return request(name, "GET", target, headers=headers, **more)


def post(name, target, body, headers=(), **more):
    return request(name, "POST", target, body, headers, **more)


def chunked(name, target, body, size):
    raw = json.dumps(body).encode()
    pieces = [raw[place:place + size] for place in range(0, len(raw), size)]
    coded = b"".join(f"{len(piece):x}\r\n".encode() + piece + b"\r\n" for piece in pieces) + b"0\r\n\r\n"
    return post(name, target, coded, ("Content-Type: application/json", "Transfer-Encoding: chunked"))


# Every path that runs the model, with a small request of its own.
PROMPTS = {
    "chat": ("/v1/chat/completions", {"messages": TALK, "max_tokens": 6}),
    "chat_short": ("/chat/completions", {"messages": TALK, "max_tokens": 6}),
    "completions": ("/v1/completions", {"prompt": "hello", "max_tokens": 6}),
    "completions_short": ("/completions", {"prompt": "hello", "n_predict": 6}),
    "completion": ("/completion", {"prompt": "hello", "n_predict": 6}),
    "responses": ("/v1/responses", {"input": "hello", "max_output_tokens": 6}),
    "responses_short": ("/responses", {"input": "hello", "max_output_tokens": 6}),
    "messages": ("/v1/messages", {"messages": TALK, "max_tokens": 6}),
}

# And those that need no slot.
TOOLS = {
    "tokenize": ("/tokenize", {"content": "hello there", "with_pieces": True}),
    "detokenize": ("/detokenize", {"tokens": [300, 301, 302]}),
    "apply_template": ("/apply-template", {"messages": TALK}),
    "count_tokens": ("/v1/messages/count_tokens", {"messages": TALK}),
    "props": ("/props", {}),
    "infill": ("/infill", {"input_prefix": "a", "input_suffix": "b"}),
    "embeddings": ("/v1/embeddings", {"input": "hello"}),
    "embedding": ("/embedding", {"content": "hello"}),
    "rerank": ("/v1/rerank", {"query": "a", "documents": ["b"]}),
    "unknown": ("/v1/nothing", {"x": 1}),
}

LOOKS = ["/", "/health", "/v1/health", "/props", "/slots", "/slots?fail_on_no_slot=1", "/metrics", "/v1/models", "/models", "/api/tags",
         "/lora-adapters", "/v1/models/tiny", "/favicon.ico", "/v1/chat/completions", "/nothing", "/v1"]


def named(target):
    return target.strip("/").replace("/", "_").replace("?", "_").replace("=", "_").replace("-", "_").replace(".", "_") or "root"


def streams():
    for name, (path, body) in PROMPTS.items():
        yield post(f"{name}_plain", path, body)
        yield post(f"{name}_streamed", path, {**body, "stream": True})
        yield post(f"{name}_http_1_0", path, {**body, "stream": True}, version="1.0")
    chat, body = PROMPTS["chat"]
    yield post("chat_usage", chat, {**body, "stream": True, "stream_options": {"include_usage": True}})
    yield post("chat_probabilities", chat, {**body, "stream": True, "logprobs": True, "top_logprobs": 3})
    yield post("chat_two_choices", chat, {**body, "n": 1, "stop": ["e"]})
    yield post("chat_progress", chat, {**body, "stream": True, "return_progress": True})
    yield post("chat_long_stream", chat, {**body, "stream": True, "max_tokens": 100})
    yield post("chat_structured", chat, {**body, "max_tokens": 60, "response_format": {"type": "json_schema", "json_schema": {
        "name": "place", "schema": {"type": "object", "properties": {"city": {"enum": ["Rome"]}}, "required": ["city"]}}}})
    yield post("completion_of_two_prompts", "/completion", {"prompt": ["one", "two"], "n_predict": 3})
    yield post("completion_of_tokens", "/completion", {"prompt": [300, 301], "n_predict": 3, "return_tokens": True})
    yield post("completion_of_other_bytes", "/completion", {"prompt": "\u00e4\u20ac\U0001f600", "n_predict": 3})
    yield post("completion_of_nothing", "/completion", {"prompt": "", "n_predict": 3})
    yield post("completion_without_answer", "/completion", {"prompt": "hello", "n_predict": 0})
    yield post("completion_with_a_grammar", "/completion", {"prompt": "x", "grammar": 'root ::= "\\u00e4\\x01\\"\\\\" "z"', "n_predict": 9})


def odd_bodies():
    bodies = {
        "empty": b"", "no_json": b"hello", "cut": b'{"messages": [', "array": b"[]", "number": b"7", "null": b"null", "object": b"{}",
        "broken_utf8": b'{"prompt": "\xff\xfe", "messages": "\xc3\x28", "input": "\xff"}',
        "zero_bytes": b'{"prompt": "\x00"}', "twice": b'{"prompt": "a"}{"prompt": "b"}',
        "wrong_types": b'{"prompt": {"a": 1}, "messages": 7, "input": 7, "max_tokens": "x", "n_predict": "x"}',
    }
    for name in ("chat", "completion", "completions", "responses", "messages"):
        path, _ = PROMPTS[name]
        for kind, body in bodies.items():
            if kind == "wrong_types" or name in ("chat", "messages") or kind in ("empty", "no_json", "object", "broken_utf8"):
                # Without an object the others are asked for an endless answer.
                yield post(f"{name}_{kind}", path, body)
    for name, (path, body) in TOOLS.items():
        yield post(f"{name}_no_json", path, b"hello")
    yield post("a_form", "/completion", b"prompt=hello&n_predict=2", ("Content-Type: application/x-www-form-urlencoded", "Content-Length: 24"))
    yield post("deep", "/v1/chat/completions", b'{"messages": ' + b"[" * 200 + b"]" * 200 + b"}")
    yield post("a_long_name", "/v1/chat/completions", {"messages": TALK, "max_tokens": 2, "user": "x" * 20000})


def errors():
    long = "word " * 600
    for name, key in (("chat", "messages"), ("messages", "messages"), ("completion", "prompt"), ("completions", "prompt"), ("responses", "input")):
        path, body = PROMPTS[name]
        content = [{"role": "user", "content": long}] if key == "messages" else long
        for stream in (False, True):
            yield post(f"{name}_too_long{'_streamed' if stream else ''}", path, {**body, key: content, "stream": stream})
    yield post("bad_grammar", "/completion", {"prompt": "x", "n_predict": 2, "grammar": "root ::= ("})
    yield post("bad_schema", "/completion", {"prompt": "x", "n_predict": 2, "json_schema": {"type": "nonsense"}})
    yield post("bad_role", "/v1/chat/completions", {"messages": [{"content": "x"}]})
    yield post("bad_tools", "/v1/chat/completions", {"messages": TALK, "tools": "x"})
    yield post("bad_image", "/v1/chat/completions", {"messages": [{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}]})
    yield post("bad_temperature", "/v1/chat/completions", {"messages": TALK, "temperature": "hot"})


def methods():
    for path in ("/v1/chat/completions", "/completion", "/v1/models", "/health", "/props", "/nothing"):
        for method in ("HEAD", "OPTIONS", "PUT", "PATCH", "DELETE"):
            yield request(f"{method.lower()}_{named(path)}", method, path)
    yield request("preflight", "OPTIONS", "/v1/chat/completions", headers=(
        "Origin: http://page.example", "Access-Control-Request-Method: POST",
        "Access-Control-Request-Headers: authorization,content-type,x-session-id"))
    yield get("of_a_page", "/v1/models", ("Origin: http://page.example",))
    yield post("of_a_page_streamed", "/v1/chat/completions", {**PROMPTS["chat"][1], "stream": True}, ("Origin: http://page.example",))


def looks():
    for target in LOOKS:
        yield get(f"get_{named(target)}", target)
        yield get(f"get_{named(target)}_http_1_0", target, version="1.0")
    yield get("closing", "/health", ("Connection: close",))
    yield get("kept_http_1_0", "/health", ("Connection: keep-alive",), version="1.0")
    yield get("compressed", "/v1/models", ("Accept-Encoding: gzip, br",))
    yield get("a_range", "/v1/models", ("Range: bytes=0-9",))
    yield get("fresh", "/v1/models", ("If-None-Match: \"x\"", "If-Modified-Since: Mon, 01 Jan 2029 00:00:00 GMT"))
    yield get("a_query", "/health?a=b&c=%20&d=%00&e")
    for name, target in (("one_letter", "/%68ealth"), ("upper", "/%48EALTH"), ("a_slash", "/v1%2fmodels"), ("a_blank", "/v1/mod%20els"), ("utf8", "/%c3%a4"),
                         ("other_bytes", "/%ff%fe"), ("a_percent", "/%25"), ("doubled", "//health"), ("dots", "/v1/../health"), ("a_dot", "/./health"), ("trailing", "/health/")):
        yield get(f"path_with_{name}", target)


def paths():
    yield post("encoded_chat", "/v1/chat/%63ompletions", PROMPTS["chat"][1])
    yield post("encoded_stream", "/v1/%6dessages", {**PROMPTS["messages"][1], "stream": True})
    yield post("a_query_on_chat", "/v1/chat/completions?x=%2F..%2f", PROMPTS["chat"][1])
    yield chunked("chunked_chat", "/v1/chat/completions", PROMPTS["chat"][1], 10)
    yield chunked("chunked_stream", "/v1/messages", {**PROMPTS["messages"][1], "stream": True}, 1)
    for name, (path, body) in TOOLS.items():
        yield post(name, path, body)


def keys():
    for name, header in (("no_key", ()), ("wrong_key", ("Authorization: Bearer wrong",)), ("wrong_x_key", ("X-Api-Key: wrong",)),
                         ("no_bearer", ("Authorization: Basic d3Jvbmc=",)), ("right_key", ("Authorization: Bearer open-sesame",)), ("right_x_key", ("X-Api-Key: open-sesame",))):
        yield post(f"chat_{name}", *PROMPTS["chat"], header)
        yield get(f"props_{name}", "/props", header)
    yield post("messages_without_a_key", *PROMPTS["messages"])
    yield request("options_without_a_key", "OPTIONS", "/v1/chat/completions")
    yield get("health_without_a_key", "/health")
    yield get("models_without_a_key", "/v1/models")


def embeddings():
    path = "/v1/embeddings"
    yield post("one", path, {"input": "hello"})
    yield post("two", path, {"input": ["one", "two"]})
    yield post("base64", path, {"input": "hello", "encoding_format": "base64"})
    yield post("tokens", path, {"input": [300, 301]})
    yield post("own_form", "/embedding", {"content": "hello"})
    yield post("nothing", path, {"input": []})
    yield post("no_input", path, {})
    yield post("too_long", path, {"input": "word " * 600})
    yield post("other_form", path, {"input": "x", "encoding_format": "none"})


GROUPS = [
    Group("streams", ["--metrics", "--slot-save-path", "slots"], list(streams())),
    Group("odd_bodies", [], list(odd_bodies())),
    Group("errors", [], list(errors())),
    Group("methods", [], list(methods())),
    Group("looks", ["--metrics", "--slot-save-path", "slots"], list(looks())),
    Group("paths", ["--props"], list(paths())),
    Group("keys", ["--api-key", "open-sesame"], list(keys())),
    Group("embeddings", ["--embeddings", "--pooling", "mean"], list(embeddings())),
]
