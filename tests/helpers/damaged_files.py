"""Files as somebody else may send them: cut off, overwritten in places, with parts repeated."""

from hypothesis import strategies as st

EDITS = st.tuples(
    st.sampled_from(["replace", "insert", "delete", "repeat", "cut"]),
    st.floats(0, 1, exclude_max=True),
    st.one_of(
        st.binary(min_size=1, max_size=4),
        st.sampled_from([b"\xff" * 10, b"\x00" * 8, b"[" * 2000, b"-1", b'"', b"{", b"1e999", b"9" * 5000]),
    ),
)  # fmt: skip


def damaged(content: bytes):
    """Strategy: the content after one to four random edits."""
    return st.lists(EDITS, min_size=1, max_size=4).map(lambda edits: damage(content, edits))


def damage(content: bytes, edits) -> bytes:
    for kind, where, new in edits:
        place = int(where * len(content))
        before, after = content[:place], content[place:]
        content = {
            "replace": before + new + after[len(new) :],
            "insert": before + new + after,
            "delete": before + after[len(new) :],
            "repeat": before + after[:64] * len(new) + after,
            "cut": before,
        }[kind]
    return content


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=3,
)  # fmt: skip
