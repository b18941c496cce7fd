"""The README.md of an archive."""

from typing import Any, Dict, List

from fairseq_subword_ext.checkpoints.exporting import PACKED_FOLDER as ONNX_FOLDER

SEGMENTED = """This model reads segmented text: give `translate` text that is segmented as the training text was, and join its
output by `fairseq-subword restore`."""
LIKE_TRAINING = """Input has to look like the training text: tokenized if that was tokenized."""


def loading_lines(folder: str, checkpoints: List[str], beam: int) -> List[str]:
    """The lines of Python that load the unpacked folder and translate."""
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
    """The text of README.md, from what MANIFEST.json holds."""
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
        "This needs the package `fairseq_subword_ext` and Fairseq, no other file and no setting: the "
        "segmentation and the search flags are in the checkpoint, except for the beam, which is an argument "
        "of `translate`. "
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
        "| file | |",
        "|---|---|",
        *(f"| `{item['name']}` | {purpose(item['name'])} |" for item in manifest["files"]),
        "",
        f"Optimizer state: {manifest['optimizer_state']}. `MANIFEST.json` has sizes and SHA-256 of all "
        "files, and the codes' signature. Packed with "
        + ", ".join(f"{package} {version}" for package, version in versions.items())
        + ".",
        "",
    ]
    return "\n".join(lines)


def purpose(name: str) -> str:
    """What a file of the archive is."""
    if name.endswith(".pt"):
        return "checkpoint"
    if name.startswith("dict."):
        return "Fairseq's dictionary"
    if name.startswith("more/"):
        return "needed beside the model"
    if name.startswith(f"{ONNX_FOLDER}/"):
        return "for `fairseq-subword translate`"
    if name.startswith("scores/"):
        return "scores, as `fairseq-subword score` and the recipe wrote them"
    known = {
        "bpecodes": "codes of the segmentation",
        "bpecodes.json": "how they were learned, and their alphabet",
        "bpecodes.target": "codes of the target side",
        "bpecodes.target.json": "how they were learned",
        "training.yaml": "the training's configuration, without folder names; for `fairseq-hydra-train "
        "--config-dir . --config-name training` where Hydra trained it",
    }
    return known.get(name, "")
