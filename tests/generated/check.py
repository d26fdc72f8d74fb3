"""Calls the service with the client that openapi-python-client generates from the description.

    check.py DIRECTORY      the directory with the generated package `lastro_api`

LASTRO_URL and LASTRO_GOLD_KEY name the service and a key.
"""

import datetime
import os
import sys

sys.path.insert(0, sys.argv[1])

from lastro_api import AuthenticatedClient
from lastro_api.api.calculations import calculate_correction
from lastro_api.api.companies import get_company, search_companies
from lastro_api.api.market_data import get_market_overview
from lastro_api.api.series import list_observations

client = AuthenticatedClient(
    os.environ["LASTRO_URL"], os.environ["LASTRO_GOLD_KEY"], prefix="", auth_header_name="X-API-Key"
)

overview = get_market_overview.sync(client=client)
assert overview.selic.value > 0 and isinstance(overview.fx.date, datetime.date)

observations = list_observations.sync("ipca", client=client, limit=3)
assert len(observations.data) == 3 and observations.unit == "percent_per_month"

corrected = calculate_correction.sync(client=client, index="ipca", from_="2026-01", to="2026-06", amount="1000")
assert corrected.result > 0 and corrected.receipt[0].month == "2026-01"

found = search_companies.sync(client=client, q="energia")
assert get_company.sync(found.data[0].id, client=client).name == found.data[0].name

unknown = get_company.sync("7", client=client)
assert unknown.error == "not_found", unknown
print("openapi-python-client: five operations")
