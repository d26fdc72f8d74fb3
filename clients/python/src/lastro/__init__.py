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
    BadRequest,
    BadRequestError,
    ConnectionFailed,
    ConnectionFailedError,
    CursorExpired,
    CursorExpiredError,
    Forbidden,
    ForbiddenError,
    Gone,
    GoneError,
    IncompleteAnswer,
    IncompleteAnswerError,
    Internal,
    InternalError,
    InvalidAnswer,
    InvalidAnswerError,
    LastroError,
    MethodNotAllowed,
    MethodNotAllowedError,
    NotFound,
    NotFoundError,
    PayloadTooLarge,
    PayloadTooLargeError,
    RateLimited,
    RateLimitedError,
    RedirectRefused,
    RedirectRefusedError,
    Unauthorized,
    UnauthorizedError,
    Unavailable,
    UnavailableError,
    UpgradeRequired,
    UpgradeRequiredError,
)
from lastro.mirror import Mirror, SyncResult, mirror
from lastro.record import Record

__version__ = "0.3.0"

__all__ = [
    "AsyncLastro",
    "BadRequest",
    "BadRequestError",
    "ConnectionFailed",
    "ConnectionFailedError",
    "CursorExpired",
    "CursorExpiredError",
    "Forbidden",
    "ForbiddenError",
    "Gone",
    "GoneError",
    "IncompleteAnswer",
    "IncompleteAnswerError",
    "Internal",
    "InternalError",
    "InvalidAnswer",
    "InvalidAnswerError",
    "Lastro",
    "LastroError",
    "MethodNotAllowed",
    "MethodNotAllowedError",
    "Mirror",
    "NotFound",
    "NotFoundError",
    "PayloadTooLarge",
    "PayloadTooLargeError",
    "RateLimited",
    "RateLimitedError",
    "Record",
    "RedirectRefused",
    "RedirectRefusedError",
    "SyncResult",
    "Unauthorized",
    "UnauthorizedError",
    "Unavailable",
    "UnavailableError",
    "UpgradeRequired",
    "UpgradeRequiredError",
    "__version__",
    "mirror",
]
