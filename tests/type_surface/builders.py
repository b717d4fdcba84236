"""`soapclient.testing.builders` gives what it is asked for."""

from typing import assert_type

from soapclient.testing import builders
from zxws.publisher.types import ReviewState, SaleItem

sale = builders.builder(SaleItem, currency="EUR")
assert_type(builders.build(SaleItem, commission="4.20"), SaleItem)
assert_type(builders.complete(SaleItem), SaleItem)
assert_type(builders.build(ReviewState), ReviewState)
assert_type(sale(commission="4.20"), SaleItem)
builders.build("SaleItem")  # type: ignore[arg-type]
