"""The settings of a process, from its environment, checked all at once when it starts."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import ip_address, ip_network
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

DATABASE, KEYS, PUBLIC = "KENO_DATABASE", "KENO_KEYS", "KENO_PUBLIC"
RNG, INSPECTOR = "KENO_RNG", "KENO_INSPECTOR"
FEED, REPORTS, PROXIES = "KENO_FEED", "KENO_REPORTS", "KENO_PROXIES"
HOSTS = "KENO_HOSTS"
ARCHIVE_DATABASE, ARCHIVES = "KENO_ARCHIVE_DATABASE", "KENO_ARCHIVES"
LOG, METRICS, SCRAPE = "KENO_LOG", "KENO_METRICS", "KENO_SCRAPE"
PRINTER_NETWORKS, PRINTER_DEVICES = "KENO_PRINTER_NETWORKS", "KENO_PRINTER_DEVICES"
DEFAULTS = {
    DATABASE: "sqlite:///var/keno.db",
    KEYS: "var/keys",
    PUBLIC: "var/public",
    RNG: "unix:var/rng/service.sock",
    INSPECTOR: "unix:var/inspector/service.sock",
    FEED: "",
    REPORTS: "var/reports",
    PROXIES: "",
    HOSTS: "",
    ARCHIVE_DATABASE: "",
    ARCHIVES: "",
    LOG: "json",
    METRICS: "",
    SCRAPE: "",
    # Where a slip may go with the code of a ticket on it: this machine and printers of the kernel's
    # own kind, until root lists more. A network that nobody named is nobody's network of printers.
    PRINTER_NETWORKS: "127.0.0.0/8,::1/128",
    PRINTER_DEVICES: "/dev/usb/lp*",
}
SQLITE, POSTGRESQL = "sqlite:///", "postgresql+psycopg://"
# Where what is sent leaves this machine, it is encrypted and the other side is who it should be.
ENCRYPTED = "verify-full"
# With several servers only the one that can be written to will do.
WRITING = ("read-write", "primary")
# What leads elsewhere behind the back of the settings: names of libpq's, and of its environment.
SERVICE = ("service", "servicefile")
LEADS_ELSEWHERE = ("PGHOST", "PGHOSTADDR", "PGSERVICE", "PGSERVICEFILE")
# What would be shown by whoever shows the settings: a role is known by its certificate.
SECRETS = ("password", "sslpassword")
LOOPBACK = ("localhost", "127.0.0.1", "::1")
# Where granian listens, and what it needs before anybody of another machine may speak to it.
LISTENS = "GRANIAN_HOST"
LISTENS_WITH = ("GRANIAN_SSL_CERTIFICATE", "GRANIAN_SSL_KEYFILE", "GRANIAN_SSL_CA")
CLIENTS_SHOW = "GRANIAN_SSL_CLIENT_VERIFY"
YES = ("1", "true", "t", "yes", "y", "on")  # as granian reads it
_ADDRESS = re.compile(r"unix:.+|tls:[^:]+:[0-9]{1,5}|tls:\[[0-9a-fA-F:]+\]:[0-9]{1,5}")
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:.]+\]")
_LOG_FORMS = ("json", "words")
# A device, a folder with all in it, or what begins so; or a queue of CUPS.
_DEVICE = re.compile(r"/|(/[^/\s*]+)+(/|\*)?|cups:[A-Za-z0-9._-]+")
_FEED = re.compile(r"(https?://[A-Za-z0-9.:-]+)?/[A-Za-z0-9/._-]*")


class BadSettings(Exception):  # noqa: N818  the operator's to mend
    """Something in the environment cannot be used; the text says what, all of it."""


@dataclass(frozen=True)
class Settings:
    """Where the database, the keys and the keyed processes are."""

    database: str
    keys: Path
    public: Path  # the public keys of the house, as the key ceremony left them
    rng: str
    inspector: str
    feed: str  # where browsers listen to the live feed; empty: they ask now and then
    reports: Path  # the archive of reports, which the reporter writes and pages hand out
    # The database by a role that owns its tables, for whoever archives and nobody else.
    archive_database: str | None = None
    archives: Path | None = None  # where archives are at hand, for whoever checks the books
    log: str = "json"  # how processes speak: json, or words for people
    metrics: Path | None = None  # where the processes of this machine leave what they count
    scrape: Path | None = None  # the file with what a program shows that asks for figures
    proxies: tuple[str, ...] = ()  # whose word is taken on who asks, and over what
    hosts: tuple[str, ...] = ()  # under which names it is asked, besides on its own machine
    printer_networks: tuple[str, ...] = ()  # in which printers may be
    printer_devices: tuple[str, ...] = ()  # which may be printers, or files that take their paper


def read_settings(environment: Mapping[str, str]) -> Settings:
    """Return the settings that an environment gives.

    Raises:
        BadSettings: every fault that it has.
    """
    settings, faults = look_at_settings(environment)
    if faults:
        raise BadSettings("; ".join(faults))
    return settings


def look_at_settings(environment: Mapping[str, str]) -> tuple[Settings, list[str]]:
    """Return the settings that an environment gives, however they are, and every fault of them."""
    values = DEFAULTS | {name: text for name, text in environment.items() if name in DEFAULTS}
    unknown = [name for name in environment if name.startswith("KENO_") and name not in DEFAULTS]
    faults = [f"{name} is no setting" for name in sorted(unknown)]
    faults += _database_faults(DATABASE, values[DATABASE])
    if values[DATABASE].startswith(POSTGRESQL):
        led = [name for name in LEADS_ELSEWHERE if environment.get(name)]
        faults += [f"{name} is set; write that into {DATABASE} instead" for name in led]
    archive = values[ARCHIVE_DATABASE]
    if archive and not archive.startswith(POSTGRESQL):
        faults.append(f"{ARCHIVE_DATABASE} must begin with {POSTGRESQL}; SQLite needs none")
    elif archive:
        faults += _database_faults(ARCHIVE_DATABASE, archive)
    faults += [f"{name} must name a folder" for name in (KEYS, PUBLIC, REPORTS) if not values[name]]
    faults += [
        f"{name} must be an address, as unix:PATH or tls:HOST:PORT"
        for name in (RNG, INSPECTOR)
        if not _ADDRESS.fullmatch(values[name])
    ]
    if values[FEED] and not _FEED.fullmatch(values[FEED]):
        faults.append(f"{FEED} must be an address for browsers, as /events")
    if values[LOG] not in _LOG_FORMS:
        faults.append(f"{LOG} must be {' or '.join(_LOG_FORMS)}")
    proxies = _parts(values[PROXIES])
    faults += [f"{PROXIES} names {each}, no IP address" for each in proxies if not _is_ip(each)]
    networks, devices = _parts(values[PRINTER_NETWORKS]), _parts(values[PRINTER_DEVICES])
    faults += [f"{PRINTER_NETWORKS} names {each}, no network" for each in networks if _no_net(each)]
    faults += [
        f"{PRINTER_DEVICES} names {each}, no path or queue"
        for each in devices
        if not _DEVICE.fullmatch(each) or {".", ".."} & set(each.split("/"))
    ]
    faults += _listening_faults(environment)
    hosts = _parts(values[HOSTS])
    faults += [f"{HOSTS} names {each}, no host" for each in hosts if not _HOST.fullmatch(each)]
    if proxies and not hosts:
        faults.append(f"{PROXIES} is set; {HOSTS} must say under which names stations ask")
    # As the web server writes an address, or a proxy that is spelled otherwise is not believed.
    proxies = tuple(str(ip_address(each)) if _is_ip(each) else each for each in proxies)
    folders = Path(values[KEYS]), Path(values[PUBLIC])
    settings = Settings(
        values[DATABASE],
        *folders,
        values[RNG],
        values[INSPECTOR],
        values[FEED],
        Path(values[REPORTS]),
        values[ARCHIVE_DATABASE] or None,
        Path(values[ARCHIVES]) if values[ARCHIVES] else None,
        values[LOG],
        Path(values[METRICS]) if values[METRICS] else None,
        Path(values[SCRAPE]) if values[SCRAPE] else None,
        proxies,
        hosts,
        networks,
        devices,
    )
    return settings, faults


def _listening_faults(environment: Mapping[str, str]) -> Iterator[str]:
    """Say what a web process lacks that listens to other machines: it would speak in the open."""
    host = environment.get(LISTENS, "")
    if not host or _is_here(host):
        return
    for name in LISTENS_WITH:
        if not environment.get(name):
            yield f"{LISTENS} is {host}, for other machines; {name} is not set"
    if environment.get(CLIENTS_SHOW, "").lower() not in YES:
        yield f"{LISTENS} is {host}, for other machines; {CLIENTS_SHOW} must be true"


# ---- the database --------------------------------------------------------------------------------


def _database_faults(name: str, url: str) -> Iterator[str]:
    """Say what is wrong with the address of a database."""
    if url == SQLITE:
        yield f"{name} must name a file"
    elif url.startswith(POSTGRESQL):
        yield from _postgresql_faults(name, url)
    elif not url.startswith(SQLITE):
        yield f"{name} must begin with {SQLITE} or {POSTGRESQL}"


def _postgresql_faults(name: str, url: str) -> Iterator[str]:
    try:
        parts = urlsplit(url)
        options = parse_qsl(parts.query, keep_blank_values=True, strict_parsing=bool(parts.query))
        hosts = [parts.hostname] if parts.hostname else []
        ports = [str(parts.port)] if parts.port else []
    except ValueError as fault:
        yield f"{name} cannot be read: {fault}"
        return
    given = dict(options)
    twice = sorted({key for key, _ in options if [each for each, _ in options].count(key) > 1})
    yield from (f"{name} has {key} twice; write {key}=A,B" for key in twice)
    hosts += _listed(given.get("host", ""))
    # An address is where it goes, whatever the name beside it is.
    addresses = _listed(given.get("hostaddr", ""))
    servers = max(len(hosts), len(addresses))
    yield from (f"{name} has {key}; write the servers out" for key in SERVICE if key in given)
    secret = [key for key in SECRETS if key in given]
    yield from (f"{name} has {key}, which others would see; use a certificate" for key in secret)
    ports += _listed(given.get("port", ""))
    if not all(port.isdecimal() and int(port) < 65536 for port in ports):
        yield f"{name} has a port that is none"
    if len(ports) not in {0, 1, max(1, servers)}:
        yield f"{name} has {servers} hosts and {len(ports)} ports; one port each, or one for all"
    if servers > 1 and given.get("target_session_attrs") not in WRITING:
        yield f"{name} names several servers; add target_session_attrs={WRITING[0]}"
    # Servers are asked in another order when one has taken over; addresses would stay in theirs.
    if servers > 1 and addresses:
        yield f"{name} has hostaddr with several servers; write them as host=A,B"
    far = [host for host in (*hosts, *addresses) if not _is_here(host)]
    if far and given.get("sslmode") != ENCRYPTED:
        yield f"{name} goes to {', '.join(far)}; add sslmode={ENCRYPTED}"


def _listed(text: str) -> list[str]:
    return text.split(",") if text else []


def _is_here(host: str) -> bool:
    """Whether what is sent to a host stays on this machine: a socket in a folder, or loopback."""
    return host.startswith(("/", "@")) or host in LOOPBACK


def _parts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _no_net(text: str) -> bool:
    try:
        ip_network(text)
    except ValueError:
        return True
    return False


def _is_ip(text: str) -> bool:
    try:
        ip_address(text)
    except ValueError:
        return False
    return True
