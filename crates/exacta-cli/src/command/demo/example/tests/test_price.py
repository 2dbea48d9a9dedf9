import unittest

from shop.price import gross


class GrossTest(unittest.TestCase):
    def test_tax_is_added(self):
        self.assertEqual(gross(100), 119)


if __name__ == "__main__":
    unittest.main()
