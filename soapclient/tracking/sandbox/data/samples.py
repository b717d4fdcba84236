"""Sample texts for the data. All names are invented; all hosts are reserved for examples."""

from __future__ import annotations

BRANDS = (
    "Alpenglow", "Blaufuchs", "Brightwater", "Café Mélange", "Drahtesel", "Eisvogel", "Fernweh", "Goldregen",
    "Hafenlicht", "Immergrün", "Jolly Jumper", "Kieselstein", "Löwenzahn", "Morgenröte", "Nordwind",
    "Orangerie", "Pfefferminz", "Quittengelb", "Regenbogen", "Sonnenuhr", "Trittsicher",
    "Überflieger", "Veilchenblau", "Wanderfalke", "Zuckerhut",
)  # fmt: skip
TRADES = (
    ("Books & Media", 11), ("Fashion", 12), ("Travel", 13), ("Electronics", 14), ("Home & Garden", 15),
    ("Finance", 16), ("Sports", 17), ("Food & Drink", 18), ("Toys", 19), ("Telecommunication", 20),
)  # fmt: skip
REGIONS = ("DE", "AT", "CH", "FR", "GB", "NL", "ES", "IT", "PL", "SE")
CURRENCIES = ("EUR", "EUR", "EUR", "GBP", "CHF", "SEK", "PLN", "USD")
BALANCES = ("EUR", "GBP", "CHF", "SEK", "PLN", "USD", "DKK", "NOK", "CZK", "HUF", "AUD", "CAD")
FORMATS = ((1, "Text link"), (2, "Banner 468x60"), (3, "Skyscraper 120x600"), (4, "Rectangle 300x250"))
SIZES = {1: (0, 0), 2: (468, 60), 3: (120, 600), 4: (300, 250)}
TRACKING = ("Standard", "New customer", "Sign-up", "Sign-up of a new customer")
POLICIES = (
    (21, "SEM allowed"),
    (22, "Cashback allowed"),
    (23, "E-mail on request"),
    (24, "No brand bidding"),
)
PAGES = ("blog", "deals", "compare", "magazine", "newsletter", "club", "search", "forum")
COUNTRIES = ("DE", "DE", "DE", "AT", "CH", "FR", "GB", "NL")
REVIEW_STATES = ("open", "open", "approved", "confirmed", "confirmed", "rejected")
NOTES = ("returned by the customer", "outside of the terms", 'duplicate of an "open" order')
ITEMS = ("Backpack", "Bücherregal", "Kettle", "Lamp", "Notebook", "Rain jacket", "Teapot", "Trail shoes")
WIDGETS = ("Coupon box", "Preisvergleich", "Deal ticker", "Product carousel", "Link checker", "Shop search")
# Values that break a reader which splits at commas or lines.
AWKWARD = (
    'He said "cheap", then left',
    "first line\nsecond line",
    "größer, schöner; weiter",
    "naïve café ☕, 12%",
    '"',
    "carriage\r\nreturn, and a comma",
)
AGENTS = (
    "Mozilla/5.0 (X11; Linux x86_64) Sample/1.0",
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) Sample/2.0 (KHTML, like Gecko)",
    'Sample "Mobile" Browser/3.1, beta',
)
