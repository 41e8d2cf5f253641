"""Classes and shares as they are written on a command line."""

from __future__ import annotations

from ohmline.errors import LabelError, ParameterError


def classes_of(text: str) -> list[str]:
    """The names in `--classes`.

    >>> classes_of("theory, rl,nets")
    ['theory', 'rl', 'nets']
    """
    if not text:
        return []
    names = [name.strip() for name in text.split(",")]
    if "" in names:
        raise ParameterError(f"--classes {text!r} has an empty name; write --classes theory,rl,nets")
    from ohmline.graph.files.labels import is_label, written_form

    forms = [written_form(name) for name in names]
    twice = next((name for name, form in zip(names, forms, strict=True) if forms.count(form) > 1), None)
    if twice is not None:
        raise LabelError(f"--classes names {twice!r} twice; name each class once")
    lost = next((name for name in names if not is_label(name)), None)
    if lost is not None:
        raise LabelError(f"--classes: a class {lost!r} could not be read back from a file; rename it")
    return names


def share_of(text: str, flag: str) -> float:
    """A share written as 5% or 0.05.

    >>> share_of("5%", "--goal"), share_of("0.05", "--goal")
    (0.05, 0.05)
    """
    written = text.strip()
    try:
        share = float(written.removesuffix("%")) / (100 if written.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 < share < 1:
        example = "95% or {} 0.95" if flag == "--confidence" else "5% or {} 0.05"
        raise ParameterError(
            f"{flag} {text!r} is no share between 0 and 1; write {flag} {example.format(flag)}"
        )
    return round(share, 12)
