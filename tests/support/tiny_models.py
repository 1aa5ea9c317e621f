"""Tiny random models of several kinds, with a tokenizer that knows a little code."""

import functools

CORPUS = [
    "import subprocess\n\ndef listed(dirname):\n    return subprocess.run(['ls', dirname])\n",
    'char *p = malloc(10);\nif (p == NULL) {\n    return -1;\n}\nsprintf(buf, "%s", name);\n',
    "user = request.args.get('username')\nreturn 'Hello ' + username\nescape(username) é ü\n",
]
GPT = {"n_embd": 32, "n_layer": 2, "resid_pdrop": 0, "embd_pdrop": 0, "attn_pdrop": 0}
NEW = {
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
}
KINDS = {  # codegen: its output embeddings are a table of their own, with a bias
    "gpt2": ("GPT2", "GPT2LMHeadModel", GPT | {"n_head": 2}),
    "codegen": ("CodeGen", "CodeGenForCausalLM", GPT | {"n_head": 4, "rotary_dim": 4}),
    "llama": (
        "Llama",
        "LlamaForCausalLM",
        NEW | {"num_key_value_heads": 2, "tie_word_embeddings": True},
    ),
    "starcoder2": ("Starcoder2", "Starcoder2ForCausalLM", NEW),
}


@functools.cache
def train_words():
    """A byte-level BPE of 400 tokens, as GPT-2's but small."""
    import tokenizers
    import transformers

    bpe = tokenizers.ByteLevelBPETokenizer()
    bpe.train_from_iterator(CORPUS, vocab_size=400, min_frequency=1, special_tokens=["<end>"])
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=bpe._tokenizer, eos_token="<end>", pad_token="<end>"
    )


def tiny(kind, size, positions=128):
    """A random model of this kind, the same at every call."""
    import torch
    import transformers

    torch.manual_seed(7)
    config, model, shape = KINDS[kind]
    room = "n_positions" if "n_embd" in shape else "max_position_embeddings"
    made = getattr(transformers, f"{config}Config")(
        vocab_size=size,
        initializer_range=0.3,
        bos_token_id=0,
        eos_token_id=0,
        **{room: positions},
        **shape,
    )
    return getattr(transformers, model)(made).eval()


def save_tiny(folder, kind, words, *, positions=512):
    """Write such a model into a folder of transformers."""
    words.save_pretrained(folder)
    tiny(kind, len(words), positions=positions).save_pretrained(folder)
