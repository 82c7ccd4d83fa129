import unittest

from garage.plates import normalise


class Normalise(unittest.TestCase):
    def test_spaces_and_capitals(self) -> None:
        self.assertEqual(normalise(" hl-kt  4471 "), "HL-KT4471")

    def test_empty(self) -> None:
        with self.assertRaises(ValueError):
            normalise("  ")
