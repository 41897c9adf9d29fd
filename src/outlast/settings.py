"""Every setting, once: name, unit, default, meaning.

The environment (`OUTLAST_…`) decides over what code or `outlast.toml` say, so that a deployment can change any of
them without a new build; code decides over the defaults below.
"""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from outlast.errors import DefinitionError

Seconds = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]
Bytes = Annotated[int, Field(ge=1)]

MIB = 1024 * 1024
DAY_SECONDS = 86_400


def _storage_url(url: str) -> str:
    split = urlsplit(url)
    is_file = url.startswith("file:///") and split.path != "/"
    is_object = split.scheme in {"s3", "gs", "az"} and split.netloc
    if not (is_file or is_object) or "@" in split.netloc or split.query or split.fragment:
        raise ValueError("must be s3://bucket/prefix, gs://bucket/prefix, az://container/prefix or file:///directory")
    return url


class Settings(BaseSettings):
    """One frozen record of all settings; build it with `load`."""

    model_config = SettingsConfigDict(env_prefix="OUTLAST_", frozen=True, extra="forbid")

    database_url: str = Field("sqlite:///outlast.db", description="Where the jobs live.")
    results_directory: str | None = Field(
        None, description="Where results beyond the database's cap go; by default a directory beside the SQLite file."
    )
    storage_url: Annotated[str, AfterValidator(_storage_url)] | None = Field(
        None,
        description="Where all results go: `s3://bucket/prefix`, `gs://bucket/prefix`, `az://container/prefix`,"
        " or `file:///directory`, which every host mounts. Without it they stay on this host.",
    )
    clock_expression: str | None = Field(
        None, description="An SQL expression instead of the database's clock (milliseconds on SQLite); for tests."
    )

    lease_seconds: Seconds = Field(30.0, description="How long a lease lives without a renewal.")
    attempt_limit: Count = Field(5, description="How many attempts a job gets.")
    attempt_timeout_seconds: Seconds = Field(3600.0, description="How long one attempt may take.")
    attempt_memory_limit_bytes: Bytes = Field(1024 * MIB, description="How much data memory one attempt may use.")
    deadline_seconds: Seconds = Field(float(DAY_SECONDS), description="How long after acceptance a job may still end.")
    backoff_base_seconds: Seconds = Field(2.0, description="The first retry's longest wait; it doubles each time.")
    backoff_cap_seconds: Seconds = Field(300.0, description="The longest wait between two attempts.")
    release_limit: Count = Field(20, description="How often stopping workers may give one job back.")

    result_limit_bytes: Bytes = Field(10 * 1024 * MIB, description="The largest result.")
    result_limit_rows: Count = Field(100_000_000, description="The most rows in a result.")
    result_database_limit_bytes: int = Field(
        32 * MIB,
        ge=0,
        description="Up to this size a result is kept in the database, beyond it in the directory;"
        " with `storage_url` none is.",
    )
    result_lifetime_seconds: Seconds = Field(7.0 * DAY_SECONDS, description="How long a result can be downloaded.")
    expired_grace_seconds: Seconds = Field(
        3600.0, description="How long expired bytes are kept, so that running downloads end."
    )
    orphan_grace_seconds: Seconds = Field(
        300.0, description="How long staged bytes without a job that wants them are kept."
    )
    retention_seconds: Seconds = Field(30.0 * DAY_SECONDS, description="How long an ended job's row is kept.")
    key_lifetime_seconds: Seconds = Field(
        90.0 * DAY_SECONDS, description="How long after acceptance an Idempotency-Key is remembered."
    )

    pending_limit: Count = Field(10_000, description="The most queued jobs before new ones are refused.")
    oldest_age_limit_seconds: Seconds = Field(
        3600.0, description="The longest that due work may have waited before new jobs are refused."
    )
    storage_budget_bytes: Bytes = Field(100 * 1024 * MIB, description="The most bytes that results may hold.")
    attempt_reserve_bytes: Bytes = Field(
        MIB, description="What a running attempt reserves of the storage budget before it has written more."
    )
    owner_pending_limit: Count = Field(100, description="The most queued jobs of one owner.")
    owner_running_limit: Count = Field(4, description="The most running jobs of one owner.")

    accept_wait_seconds: Seconds = Field(5.0, description="How long a request may wait for the database's write lock.")
    writer_queue_limit: Count = Field(1000, description="How many writes may wait in one process.")
    long_poll_limit: Count = Field(1000, description="How many requests may wait for a job in one process.")
    wait_limit_seconds: Seconds = Field(30.0, description="The longest that a request may wait for a job.")
    body_limit_bytes: Bytes = Field(256 * 1024, description="The largest request body.")

    concurrency: Count = Field(1, description="How many attempts a worker runs at once.")
    poll_interval_seconds: Seconds = Field(0.025, description="How often an idle worker looks for changes.")
    housekeeping_interval_seconds: Seconds = Field(30.0, description="How often a worker sweeps, expires and purges.")
    drain_seconds: Seconds = Field(20.0, description="How long a stopping worker lets its attempts go on.")
    child_attempt_limit: Count = Field(100, description="How many attempts a warm child runs before it is replaced.")
    child_nice: int = Field(19, ge=0, le=19, description="The children's niceness.")
    worker_seen_seconds: Seconds = Field(60.0, description="How long after its last sign a worker counts as live.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic-settings passes it by name
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The environment first, then what code or `outlast.toml` pass in."""
        return env_settings, init_settings


def load(**values: Any) -> Settings:
    """Read the settings, `values` being those that code or `outlast.toml` give.

    Raises DefinitionError, which names each wrong setting and never shows its value.
    """
    try:
        return Settings(**values)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}"
            for item in error.errors(include_input=False)
        )
        message = f"wrong settings: {wrong}"
        raise DefinitionError(message) from None
