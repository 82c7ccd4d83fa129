import unittest

from garage import money


class Parse(unittest.TestCase):
    def test_amounts(self) -> None:
        amounts = {"12.50": 1250, "12.5": 1250, "12": 1200, "-3.20": -320, "0": 0}
        for text, cents in amounts.items():
            with self.subTest(text=text):
                self.assertEqual(money.parse(text), cents)

    def test_nonsense(self) -> None:
        for text in ["", "1,50", "1.234", "--1", "ten"]:
            with self.subTest(text=text), self.assertRaises(ValueError):
                money.parse(text)


class Show(unittest.TestCase):
    def test_two_digits(self) -> None:
        self.assertEqual(money.show(1250), "12.50")
        self.assertEqual(money.show(7), "0.07")

    def test_negative(self) -> None:
        self.assertEqual(money.show(-1207), "-12.07")


class Percent(unittest.TestCase):
    def test_rounds_half_up(self) -> None:
        self.assertEqual(money.percent(1050, 15), 158)
        self.assertEqual(money.percent(1000, 15), 150)


class Split(unittest.TestCase):
    def test_equal_parts(self) -> None:
        self.assertEqual(money.split(900, 3), [300, 300, 300])

    def test_no_parts(self) -> None:
        with self.assertRaises(ValueError):
            money.split(900, 0)
