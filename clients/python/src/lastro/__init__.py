"""Brazilian market rates, companies and filings as Python values and data frames.

>>> import lastro
>>> client = lastro.Lastro()                      # LASTRO_URL and LASTRO_API_KEY, if they are set
>>> client.series("ipca").current().value         # doctest: +SKIP
Decimal('0.48')

`Lastro` waits for its answers, `AsyncLastro` is awaited; both have the same methods. Numbers are `Decimal`, days are
`date`. A list is fetched page by page while it is iterated, and becomes a frame with `to_pandas()` or `to_polars()`.
"""

from lastro._async.client import AsyncLastro
from lastro._sync.client import Lastro
from lastro.errors import (
    BadRequestError,
    ConnectionFailedError,
    CursorExpiredError,
    ForbiddenError,
    GoneError,
    IncompleteAnswerError,
    InternalError,
    InvalidAnswerError,
    LastroError,
    MethodNotAllowedError,
    NotFoundError,
    PayloadTooLargeError,
    RateLimitedError,
    RedirectRefusedError,
    UnauthorizedError,
    UnavailableError,
    UpgradeRequiredError,
)
from lastro.mirror import Mirror, SyncResult, mirror
from lastro.record import Record

__version__ = "0.3.0"

__all__ = [
    "AsyncLastro",
    "BadRequestError",
    "ConnectionFailedError",
    "CursorExpiredError",
    "ForbiddenError",
    "GoneError",
    "IncompleteAnswerError",
    "InternalError",
    "InvalidAnswerError",
    "Lastro",
    "LastroError",
    "MethodNotAllowedError",
    "Mirror",
    "NotFoundError",
    "PayloadTooLargeError",
    "RateLimitedError",
    "Record",
    "RedirectRefusedError",
    "SyncResult",
    "UnauthorizedError",
    "UnavailableError",
    "UpgradeRequiredError",
    "__version__",
    "mirror",
]
