"""Settings: what is read, and everything that is wrong with them at once."""

import pytest

from app.settings import BadSettings, Settings, read_settings

HERE = "postgresql+psycopg://keno@/keno"
THERE = "postgresql+psycopg://keno@db1.keno.example/keno"
TWO = f"{HERE}?host=db1,db2&port=5432,5433"
SURE, WRITES = "sslmode=verify-full", "target_session_attrs=read-write"


def read(**given: str) -> Settings:
    return read_settings({f"KENO_{name.upper()}": value for name, value in given.items()})


@pytest.mark.rule("X-access")
@pytest.mark.parametrize(
    "url",
    [
        "sqlite:////var/keno.db",
        HERE,
        f"{HERE}?host=/run/postgresql",
        f"{HERE}?host=/run/postgresql&port=5433",
        "postgresql+psycopg://keno@localhost:5433/keno",
        "postgresql+psycopg://keno@127.0.0.1/keno",
        "postgresql+psycopg://keno@[::1]:5432/keno",
        f"{THERE}?{SURE}",
        f"{THERE}?{SURE}&sslrootcert=/etc/keno/authorities.pem",
        f"{HERE}?host=db1&hostaddr=10.0.0.5&{SURE}",
        f"{HERE}?hostaddr=127.0.0.1",
        f"{TWO}&{WRITES}&{SURE}",
        f"{HERE}?host=db1,db2&port=5432&{WRITES}&{SURE}",
        f"{HERE}?host=db1,db2&{WRITES}&{SURE}",
        f"{HERE}?host=localhost,localhost&port=5432,5433&target_session_attrs=primary",
    ],
)
def test_a_database_is_accepted(url: str) -> None:
    assert read(database=url).database == url


@pytest.mark.rule("X-access")
@pytest.mark.parametrize(
    ("url", "words"),
    [
        (THERE, "goes to db1.keno.example; add sslmode=verify-full"),
        (f"{THERE}?sslmode=require", "add sslmode=verify-full"),
        (f"{THERE}?sslmode=verify-ca", "add sslmode=verify-full"),
        (f"{HERE}?host=10.0.0.5", "goes to 10.0.0.5"),
        (f"{HERE}?hostaddr=10.0.0.5", "goes to 10.0.0.5"),
        (f"{HERE}?host=localhost&hostaddr=10.0.0.5", "goes to 10.0.0.5"),
        (f"{HERE}?host=/run/postgresql&hostaddr=10.0.0.5&sslmode=require", "goes to 10.0.0.5"),
        (f"{HERE}?hostaddr=10.0.0.5,10.0.0.6&{SURE}", "add target_session_attrs=read-write"),
        (
            f"{HERE}?hostaddr=10.0.0.5,10.0.0.6&{WRITES}&{SURE}",
            "has hostaddr with several servers; write them as host=A,B",
        ),
        (f"{TWO}&hostaddr=10.0.0.5,10.0.0.6&{WRITES}&{SURE}", "has hostaddr with several servers"),
        (f"{TWO}&hostaddr=10.0.0.5&{WRITES}&{SURE}", "has hostaddr with several servers"),
        (f"{HERE}?service=elsewhere", "has service; write the servers out"),
        (f"{HERE}?servicefile=/etc/elsewhere&{SURE}", "has servicefile; write the servers out"),
        (f"{HERE}?password=hidden", "has password, which others would see; use a certificate"),
        (f"{THERE}?{SURE}&sslpassword=hidden", "has sslpassword, which others would see"),
        (f"{TWO}&{WRITES}", "goes to db1, db2"),
        (f"{HERE}?host=/run/postgresql,db2&{WRITES}", "goes to db2"),
        (f"{TWO}&{SURE}", "add target_session_attrs=read-write"),
        (f"{TWO}&{SURE}&target_session_attrs=any", "add target_session_attrs=read-write"),
        (f"{HERE}?host=db1&host=db2&{WRITES}&{SURE}", "has host twice"),
        (f"{HERE}?host=db1,db2,db3&port=1,2&{WRITES}&{SURE}", "3 hosts and 2 ports"),
        (f"{HERE}?host=db1&port=many&{SURE}", "a port that is none"),
        (f"{HERE}?host=db1&port=70000&{SURE}", "a port that is none"),
        ("postgresql+psycopg://keno@db1:many/keno", "cannot be read"),
        (f"{HERE}?host", "cannot be read"),
        ("postgresql://keno@/keno", "must begin with"),
    ],
)
def test_a_database_that_cannot_be_used_or_would_be_spoken_to_in_the_open_is_refused(
    url: str, words: str
) -> None:
    for name in ("database", "archive_database"):
        with pytest.raises(BadSettings, match=words) as bad:
            read(**{name: url})
        assert "hidden" not in str(bad.value)


@pytest.mark.rule("X-access")
@pytest.mark.parametrize("name", ["PGHOST", "PGHOSTADDR", "PGSERVICE", "PGSERVICEFILE"])
def test_nothing_beside_the_settings_says_where_the_database_is(name: str) -> None:
    with pytest.raises(BadSettings, match=f"{name} is set; write that into KENO_DATABASE"):
        read_settings({"KENO_DATABASE": HERE, name: "elsewhere"})
    elsewhere = read_settings({"KENO_DATABASE": "sqlite:///x.db", name: "elsewhere"})
    assert elsewhere.database == "sqlite:///x.db"


OVER_TLS = {
    "GRANIAN_HOST": "0.0.0.0",  # noqa: S104  every address of the machine
    "GRANIAN_SSL_CERTIFICATE": "/run/keno-web/keys/web.pem",
    "GRANIAN_SSL_KEYFILE": "/run/keno-web/keys/web.key",
    "GRANIAN_SSL_CA": "/etc/keno/authorities.pem",
    "GRANIAN_SSL_CLIENT_VERIFY": "true",
}


@pytest.mark.rule("X-access")
@pytest.mark.parametrize(
    ("name", "left"),
    [
        *((name, "") for name in OVER_TLS if name != "GRANIAN_HOST"),
        ("GRANIAN_SSL_CLIENT_VERIFY", "false"),
    ],
)
def test_a_web_process_speaks_to_other_machines_over_tls_or_not_at_all(
    name: str, left: str
) -> None:
    read_settings(OVER_TLS)
    with pytest.raises(BadSettings, match=rf"GRANIAN_HOST is 0\.0\.0\.0.*{name}"):
        read_settings({each: value for each, value in OVER_TLS.items() if each != name})
    given = OVER_TLS | {name: left}
    with pytest.raises(BadSettings, match=rf"GRANIAN_HOST is 0\.0\.0\.0.*{name}"):
        read_settings(given)
    for host in ("", "localhost", "127.0.0.1", "::1"):
        read_settings(given | {"GRANIAN_HOST": host})


@pytest.mark.parametrize("address", ["unix:x", "tls:rng.keno.example:7001", "tls:[fe80::1]:7001"])
def test_keyed_processes_are_on_this_machine_or_over_tls(address: str) -> None:
    assert read(rng=address, inspector=address).rng == address


@pytest.mark.parametrize("address", ["", "tcp:host:1", "tls:host", "tls::1", "tls:host:port"])
def test_what_is_no_address_of_a_keyed_process_is_told(address: str) -> None:
    with pytest.raises(BadSettings, match=r"KENO_RNG must be an address"):
        read(rng=address)


def test_proxies_are_addresses() -> None:
    named = {"hosts": "keno.example"}
    assert read(proxies="10.0.0.2, fe80::2", **named).proxies == ("10.0.0.2", "fe80::2")
    assert read().proxies == ()
    with pytest.raises(BadSettings, match=r"KENO_PROXIES names proxy\.example, no IP address"):
        read(proxies="10.0.0.2,proxy.example", **named)


@pytest.mark.rule("X-access")
def test_behind_a_proxy_the_names_of_the_house_are_set() -> None:
    assert read(hosts="keno.example, WEB1.keno.example,[fe80::1]").hosts == (
        "keno.example",
        "WEB1.keno.example",
        "[fe80::1]",
    )
    with pytest.raises(BadSettings, match=r"KENO_HOSTS must say under which names"):
        read(proxies="10.0.0.2")
    for wrong in ("https://keno.example", "keno.example:443", "*", "-x"):
        with pytest.raises(BadSettings, match=r"KENO_HOSTS names .*, no host"):
            read(hosts=wrong)


@pytest.mark.rule("X-printer-place")
def test_printers_are_on_this_machine_until_root_lists_their_networks_and_devices() -> None:
    unsaid = read()
    assert unsaid.printer_networks == ("127.0.0.0/8", "::1/128")
    assert unsaid.printer_devices == ("/dev/usb/lp*",)
    listed = read(printer_networks="10.0.5.0/24, fd12::/64", printer_devices="/srv/paper/, cups:b1")
    assert listed.printer_networks == ("10.0.5.0/24", "fd12::/64")
    assert listed.printer_devices == ("/srv/paper/", "cups:b1")
    assert read(printer_networks="", printer_devices="").printer_networks == ()
    for network in ("booth.lan", "10.0.5.1/24", "10.0.5.0/33"):
        with pytest.raises(BadSettings, match=f"KENO_PRINTER_NETWORKS names {network}, no network"):
            read(printer_networks=network)
    for device in ("lp0", "/dev/../etc", "/dev/*/lp0", "cups:a b", "/dev//lp0"):
        with pytest.raises(BadSettings, match=r"KENO_PRINTER_DEVICES names .*, no path or queue"):
            read(printer_devices=device)


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(BadSettings) as bad:
        read(database=THERE, keys="", rng="here", feed="events", proxies="me", tpyo="1")
    told = str(bad.value)
    for name in ("DATABASE", "KEYS", "RNG", "FEED", "PROXIES", "TPYO"):
        assert f"KENO_{name}" in told
