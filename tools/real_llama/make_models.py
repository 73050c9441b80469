"""Writes small GGUF models with random weights for the real llama-server: make_models.py FOLDER

The weights mean nothing, but prompts are read, cached, saved and restored like any model's. Seeds are
fixed, so every machine gets the same files. Needs python3-gguf; tools/real-llama runs it with Debian sid's.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import gguf
import numpy

SPECIAL = [("<unk>", gguf.TokenType.UNKNOWN), ("<s>", gguf.TokenType.CONTROL), ("</s>", gguf.TokenType.CONTROL)]
PIECES = ["th", "he", "in", "er", "an", "re", "on", "ed", "\u2581t", "\u2581a", "the", "ing", "and", "\u2581the"]
TEMPLATE = (
    "{{ bos_token }}{% for message in messages %}[{{ message['role'] }}] {{ message['content'] }}\n"
    "{% endfor %}{% if add_generation_prompt %}[assistant] {% endif %}"
)


@dataclass(frozen=True)
class Shape:
    arch: str
    seed: int
    embd: int
    layers: int
    heads: int
    ff: int
    window: int = 0  # tokens a sliding-window layer looks back; 0: every layer sees everything


MODELS = {
    "tiny": Shape("llama", seed=1, embd=64, layers=2, heads=4, ff=128),
    "tiny-other": Shape("llama", seed=2, embd=64, layers=2, heads=4, ff=128),
    "swa": Shape("gemma3", seed=3, embd=64, layers=6, heads=4, ff=128, window=128),
    "mid": Shape("llama", seed=4, embd=512, layers=8, heads=8, ff=1408),
}


def vocabulary():
    """Texts, scores and types: 3 special tokens, 256 bytes, the printable characters, a few longer pieces."""
    tokens = list(SPECIAL)
    tokens += [(f"<0x{byte:02X}>", gguf.TokenType.BYTE) for byte in range(256)]
    characters = [chr(code) for code in range(32, 127)]
    tokens += [(c.replace(" ", "\u2581"), gguf.TokenType.NORMAL) for c in characters]
    tokens += [(piece, gguf.TokenType.NORMAL) for piece in PIECES]
    # A longer piece must score higher than its parts or it is never merged.
    scores = [10.0 * len(text) if kind == gguf.TokenType.NORMAL else 0.0 for text, kind in tokens]
    return [text.encode() for text, _ in tokens], scores, [kind for _, kind in tokens]


def write_vocabulary(writer):
    texts, scores, kinds = vocabulary()
    writer.add_tokenizer_model("llama")
    writer.add_tokenizer_pre("default")
    writer.add_token_list(texts)
    writer.add_token_scores(scores)
    writer.add_token_types(kinds)
    writer.add_unk_token_id(0)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    writer.add_add_bos_token(True)
    writer.add_add_space_prefix(False)
    writer.add_chat_template(TEMPLATE)
    return len(texts)


def write_shape(writer, shape):
    head = shape.embd // shape.heads
    writer.add_context_length(65536)
    writer.add_embedding_length(shape.embd)
    writer.add_block_count(shape.layers)
    writer.add_feed_forward_length(shape.ff)
    writer.add_head_count(shape.heads)
    writer.add_head_count_kv(shape.heads)
    writer.add_key_length(head)
    writer.add_value_length(head)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(head)
    writer.add_rope_freq_base(10000.0)
    writer.add_file_type(gguf.LlamaFileType.MOSTLY_F16)
    if shape.window:
        writer.add_sliding_window(shape.window)


def matrix(random, rows, columns):
    return (random.standard_normal((rows, columns)) / numpy.sqrt(columns)).astype(numpy.float16)


def output_matrix(random, shape, n_vocab):
    rows = matrix(random, n_vocab, shape.embd)
    # Special and byte tokens get no weight: answers do not end before their limit and are plain text.
    rows[: len(SPECIAL) + 256] = 0
    return rows


def write_tensors(writer, shape, n_vocab):
    random = numpy.random.Generator(numpy.random.PCG64(shape.seed))
    embd, head, ff = shape.embd, shape.embd // shape.heads, shape.ff

    def ones(name, size):
        writer.add_tensor(name, numpy.ones(size, dtype=numpy.float32))

    writer.add_tensor("token_embd.weight", matrix(random, n_vocab, embd))
    ones("output_norm.weight", embd)
    writer.add_tensor("output.weight", output_matrix(random, shape, n_vocab))
    for layer in range(shape.layers):
        prefix = f"blk.{layer}."
        ones(prefix + "attn_norm.weight", embd)
        ones(prefix + "ffn_norm.weight", embd)
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            writer.add_tensor(f"{prefix}{name}.weight", matrix(random, embd, embd))
        writer.add_tensor(prefix + "ffn_gate.weight", matrix(random, ff, embd))
        writer.add_tensor(prefix + "ffn_up.weight", matrix(random, ff, embd))
        writer.add_tensor(prefix + "ffn_down.weight", matrix(random, embd, ff))
        if shape.arch == "gemma3":
            ones(prefix + "attn_q_norm.weight", head)
            ones(prefix + "attn_k_norm.weight", head)
            ones(prefix + "post_attention_norm.weight", embd)
            ones(prefix + "post_ffw_norm.weight", embd)


def write_model(path, name, shape):
    writer = gguf.GGUFWriter(path, shape.arch)
    writer.add_name(f"slotswap-{name}")
    write_shape(writer, shape)
    write_tensors(writer, shape, write_vocabulary(writer))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, shape in MODELS.items():
        write_model(folder / f"{name}.gguf", name, shape)
        print(f"{name}.gguf {(folder / f'{name}.gguf').stat().st_size} bytes")


if __name__ == "__main__":
    main()
