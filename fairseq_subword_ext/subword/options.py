"""Options as frozen dataclasses: each is declared once, with its help, its default and what it needs.

The fields of such a class are the keyword arguments of the API; those made by :func:`option` are also
flags of the commands and, with ``bpe_`` in front, options of Fairseq's encoders. What cannot be combined
is declared beside them, as :class:`Rule`, and refused by :func:`check_options`, whoever asks.
"""

from collections.abc import Mapping, Sequence
from dataclasses import Field, field, fields
from typing import Any, Callable, Dict, NamedTuple, Optional, Type


class Rule(NamedTuple):
    """What one option needs or excludes.

    Attributes:
        option: the option that the rule is about.
        needs: another one that has to be given with it.
        without: another one that must not be given with it.
        excludes: a value that it must not have.
        because: what the message adds.
    """

    option: str
    needs: Optional[str] = None
    without: Optional[str] = None
    excludes: Any = None
    because: str = ""


def option(
    default: Any,
    help: str,
    *flags: str,
    type: type = str,
    choices: Sequence[str] = (),
    metavar: Optional[str] = None,
    nargs: Optional[str] = None,
    is_file: bool = False,
    required: bool = False,
    command: bool = True,
    fairseq: bool = True,
) -> Any:
    """A field that is also a flag.

    Args:
        default: its value if nobody gives one.
        help: what it does.
        flags: short forms of the flag.
        type: of the value, or of each if there are several.
        choices: the values that it can have, if they are few.
        metavar: what stands for the value in the help.
        nargs: it takes several values: ``+`` or ``*``, as for argparse.
        is_file: it names a file.
        required: there is no encoding without it.
        command: the commands have the flag.
        fairseq: Fairseq's encoder has the option.
    """
    return field(
        default=default,
        metadata={
            "help": help, "flags": flags, "type": type, "choices": tuple(choices), "metavar": metavar,
            "nargs": nargs, "is_file": is_file, "required": required, "command": command,
            "fairseq": fairseq,
        },
    )  # fmt: skip


def choice(default: str, choices: Sequence[str]) -> Any:
    """A field that has one of a few values, and is no flag."""
    return field(default=default, metadata={"choices": tuple(choices)})


def flags_of(options: Type[Any], front_end: str) -> Dict[str, "Field[Any]"]:
    """The fields that are flags of a front end: ``command`` or ``fairseq``."""
    return {each.name: each for each in fields(options) if each.metadata.get(front_end)}


def check_choices(options: Any) -> None:
    """Refuses values that are none of their field's choices; for ``__post_init__``.

    Raises:
        ValueError: If a value is none of them.
    """
    for each in fields(options):
        choices = each.metadata.get("choices")
        value = getattr(options, each.name)
        if choices and value is not None and value not in choices:
            raise ValueError(f"{each.name} must be one of {', '.join(choices)}, not {value!r}")


def check_options(
    options: Type[Any],
    given: Mapping[str, Any],
    who: str,
    spell: Callable[[str], str] = str,
    rules: Sequence[Rule] = (),
) -> None:
    """Refuses options that do not exist, are missing, or cannot be combined.

    Args:
        options: the dataclass.
        given: what was given: name -> value; None counts as not given.
        who: what has the options, for messages.
        spell: how the front end writes an option's name.
        rules: what cannot be combined.

    Raises:
        ValueError: naming the options.
    """
    known = {each.name: each for each in fields(options)}
    given = {name: value for name, value in given.items() if value is not None}
    foreign = [spell(name) for name in given if name not in known]
    if foreign:
        raise ValueError(f"{who} knows no {', '.join(foreign)}")
    for name, each in known.items():
        if each.metadata.get("required") and name not in given:
            raise ValueError(f"{who} needs {spell(name)} FILE: {each.metadata['help']}")
    for rule in rules:
        if rule.option not in given:
            continue
        if rule.needs is not None and rule.needs not in given:
            needed = spell(rule.needs) + (
                " FILE" if known[rule.needs].metadata.get("is_file") else ""
            )
            raise ValueError(f"{who}: {spell(rule.option)} needs {needed}{rule.because}")
        if rule.without is not None and rule.without in given:
            raise ValueError(
                f"{who}: {spell(rule.option)} does not go with {spell(rule.without)}{rule.because}"
            )
        if rule.excludes is not None and given[rule.option] == rule.excludes:
            raise ValueError(f"{who}: not with {spell(rule.option)} {rule.excludes}{rule.because}")
