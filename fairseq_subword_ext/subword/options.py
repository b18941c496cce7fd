"""Options as frozen dataclasses: each is declared once, with its help, default and requirements.

The fields of such a class are the keyword arguments of the API; those made by :func:`option` are also
flags of the commands and, with the prefix ``bpe_``, options of Fairseq's encoders. Combinations that are
not allowed are declared next to them, as :class:`Rule`, and rejected by :func:`check_options` for every
front end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import Field, field, fields
from typing import Any, Callable, Dict, NamedTuple, Optional, Type


class Rule(NamedTuple):
    """What one option requires or excludes.

    Attributes:
        option: the option that the rule is about.
        needs: another option that must be given with it.
        without: another option that must not be given with it.
        excludes: a value that it must not have.
        because: appended to the message.
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
    """Declares a field that is also a flag.

    Args:
        default: the default value.
        help: the help text.
        flags: short forms of the flag.
        type: the type of the value, or of each value if there are several.
        choices: the allowed values; empty if any is.
        metavar: the placeholder of the value in the help.
        nargs: ``+`` or ``*`` for several values, as in argparse.
        is_file: whether the value names a file.
        required: whether it must be given.
        command: whether the commands have the flag.
        fairseq: whether Fairseq's encoder has the option.
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
    """Declares a field with a fixed set of values that is not a flag."""
    return field(default=default, metadata={"choices": tuple(choices)})


def flags_of(options: Type[Any], front_end: str) -> Dict[str, "Field[Any]"]:
    """Returns the fields that are flags of a front end, ``command`` or ``fairseq``."""
    return {each.name: each for each in fields(options) if each.metadata.get(front_end)}


def check_choices(options: Any) -> None:
    """Checks values against the choices of their fields; for ``__post_init__``.

    Raises:
        ValueError: If a value is not among the choices.
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
    """Checks that options exist, are complete, and can be combined.

    Args:
        options: the dataclass.
        given: name -> value; None counts as not given.
        who: the owner of the options, for messages.
        spell: turns an option's name into the front end's spelling.
        rules: the combinations that are required or excluded.

    Raises:
        ValueError: If a check fails; names the options.
    """
    known = {each.name: each for each in fields(options)}
    given = {name: value for name, value in given.items() if value is not None}
    unknown = [spell(name) for name in given if name not in known]
    if unknown:
        raise ValueError(f"{who} does not take {', '.join(unknown)}")
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
                f"{who}: {spell(rule.option)} cannot be combined with {spell(rule.without)}{rule.because}"
            )
        if rule.excludes is not None and given[rule.option] == rule.excludes:
            raise ValueError(f"{who}: not with {spell(rule.option)} {rule.excludes}{rule.because}")
