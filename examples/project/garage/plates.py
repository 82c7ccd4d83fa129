"""Number plates in one spelling."""


def normalise(text: str) -> str:
    """The plate as it is compared: capital letters, no spaces."""
    plate = "".join(text.split()).upper()
    if not plate:
        raise ValueError("empty plate")
    return plate
