"""The README.md of an archive."""

from typing import Any, Dict, List

from fairseq_subword_ext.checkpoints.exporting import PACKED_FOLDER as ONNX_FOLDER
from fairseq_subword_ext.textio.tables import markdown_lines

SEGMENTED = """This model reads segmented text: segment the input of `translate` as the training text was, and join its
output with `fairseq-subword restore`."""
LIKE_TRAINING = """Prepare the input like the training text: tokenize it if that was tokenized."""


def loading_lines(folder: str, checkpoints: List[str], beam: int) -> List[str]:
    """Python code that loads the unpacked folder and translates."""
    files = "" if checkpoints == ["model.pt"] else f', "{":".join(checkpoints)}"'
    return [
        "import fairseq_subword_ext",
        "from fairseq.models import BaseFairseqModel",
        "",
        "fairseq_subword_ext.register()",
        f'model = BaseFairseqModel.from_pretrained("{folder}"{files})',
        f'print(model.translate(["..."], beam={beam}))',
    ]


def page(manifest: Dict[str, Any]) -> str:
    """The text of README.md, from the content of MANIFEST.json."""
    name, task = manifest["name"], manifest["task"]
    versions = manifest["versions"]
    pair = f"`{task['name']}`, {task['languages']}"
    lines = [
        f"# {name}",
        "",
        f"A translation model for [Fairseq](https://github.com/facebookresearch/fairseq): {pair}, "
        f"`{manifest['model']['arch']}`, {manifest['model']['parameters']:,} parameters"
        + (
            f", {len(manifest['checkpoints'])} models." if len(manifest["checkpoints"]) > 1 else "."
        ),
        "",
        *(f"- {key}: {value}" for key, value in manifest["about"].items() if value),
        "",
        "```python",
        *manifest["load"],
        "```",
        "",
        "This needs the package `fairseq_subword_ext` and Fairseq, but no other files or settings: the "
        "segmentation and the search options are in the checkpoint, except for the beam size, which is an "
        "argument of `translate`. "
        + (SEGMENTED if not manifest["encoder"] else LIKE_TRAINING)
        + " Checkpoints load with torch's `weights_only` on.",
        "",
        "From the command line, in this folder:",
        "",
        "```bash",
        manifest["command"],
        "```",
        "",
        *(
            [
                "Without Fairseq and torch, with `onnxruntime` (extra `onnx`):",
                "",
                "```bash",
                f"fairseq-subword translate {ONNX_FOLDER} < text",
                "```",
                "",
            ]
            if any(item["name"].startswith(f"{ONNX_FOLDER}/") for item in manifest["files"])
            else []
        ),
        *markdown_lines(
            [("file", "purpose")]
            + [(f"`{item['name']}`", purpose(item["name"])) for item in manifest["files"]],
            left=[True, True],
        ),
        "",
        f"Optimizer state: {manifest['optimizer_state']}. `MANIFEST.json` lists the size and SHA-256 of "
        "every file, and the codes' signature. Packed with "
        + ", ".join(f"{package} {version}" for package, version in versions.items())
        + ".",
        "",
    ]
    return "\n".join(lines)


def purpose(name: str) -> str:
    """The purpose of a file in the archive."""
    if name.endswith(".pt"):
        return "checkpoint"
    if name.startswith("dict."):
        return "Fairseq's dictionary"
    if name.startswith("more/"):
        return "needed in addition to the model"
    if name.startswith(f"{ONNX_FOLDER}/"):
        return "for `fairseq-subword translate`"
    if name.startswith("scores/"):
        return "scores, as `fairseq-subword score` and the recipe wrote them"
    known = {
        "bpecodes": "codes of the segmentation",
        "bpecodes.json": "how they were learned, and their alphabet",
        "bpecodes.target": "codes of the target side",
        "bpecodes.target.json": "how they were learned",
        "training.yaml": "training configuration without folder names; for `fairseq-hydra-train "
        "--config-dir . --config-name training` if the model was trained with Hydra",
    }
    return known.get(name, "")
