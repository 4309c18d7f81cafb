"""What the drill does to the house, one after the other.

Each fault is done to a house that sells, and taken back: whatever was killed is started again, as
systemd would, whatever was frozen goes on, every cable is put back. In between it waits until the
house has found its way, or for as long as it takes to be sure that it does not need one.
"""

import os
import shutil
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from rng.core.records import Role
from rng.lab import rehearsal
from tests.drill.cluster import Node
from tests.drill.house import House
from tests.drill.machines import Machine, Program
from tests.drill.stations import Floor, Screens

SALES_SECONDS = 120  # in which a house must sell again
FROZEN_SECONDS = 35  # longer than it takes to be declared dead
AWAY_SECONDS = 15
TAKEN_OVER_SECONDS = 55  # by another caller, whose lease runs longer than a draw may take


class NoSales(Exception):  # noqa: N818  it is what the drill looks for
    """The house does not sell again."""


class Blind(Exception):  # noqa: N818  as above
    """Supervisors do not see their page."""


@dataclass
class Scene:
    """A house that sells."""

    house: House
    floor: Floor
    screens: Screens

    def wait_for_sales(self, count: int = 10) -> None:
        """Wait until so many further tickets were sold.

        Raises:
            NoSales: they are not.
        """
        since = time.monotonic()
        while time.monotonic() < since + SALES_SECONDS:
            sold = [act for act in self.floor.acts if act.kind == "sell" and act.is_done]
            if sum((act.told_at or 0) > since for act in sold[-500:]) >= count:
                return
            time.sleep(0.2)
        raise NoSales(f"nothing was sold for {SALES_SECONDS} seconds")

    def wait(self, seconds: float) -> None:
        """Let time pass."""
        time.sleep(seconds)


# ---- the databases -------------------------------------------------------------------------------


def primary_killed(scene: Scene) -> None:
    """The primary's machine is lost (kill -9 of all on it), and comes back later."""
    node = scene.house.cluster.primary()
    node.machine.signal(signal.SIGKILL)
    scene.wait_for_sales()
    node.start()


def server_killed(scene: Scene) -> None:
    """Only PostgreSQL of the primary is killed (kill -9)."""
    os.kill(scene.house.cluster.primary().postmaster(), signal.SIGKILL)
    scene.wait_for_sales()


def primary_frozen(scene: Scene) -> None:
    """Everything on the primary's machine hangs (SIGSTOP, its network answers), then goes on."""
    node = scene.house.cluster.primary()
    scene.house.cluster.freeze(node)
    scene.wait(FROZEN_SECONDS)
    scene.house.cluster.thaw(node)
    scene.wait_for_sales()


def primary_silent(scene: Scene) -> None:
    """The primary's machine stands still, network too, then goes on as if nothing had been."""
    house = scene.house
    node = house.cluster.primary()
    house.network.cut([node.machine], _others(house, node))
    house.cluster.freeze(node)
    scene.wait(FROZEN_SECONDS)
    house.network.mend()
    house.cluster.thaw(node)
    scene.wait_for_sales()


def patroni_killed(scene: Scene) -> None:
    """Only Patroni of the primary is killed (kill -9); its PostgreSQL takes writes."""
    patroni = scene.house.cluster.primary().patroni
    patroni.kill()
    scene.wait(FROZEN_SECONDS)
    scene.wait_for_sales()  # at the one that was promoted
    patroni.start()
    scene.wait_for_sales()


def patroni_frozen(scene: Scene) -> None:
    """Only Patroni of the primary hangs (SIGSTOP), then goes on; its PostgreSQL takes writes."""
    patroni = scene.house.cluster.primary().patroni
    patroni.signal(signal.SIGSTOP)
    scene.wait(FROZEN_SECONDS)
    scene.wait_for_sales()
    patroni.signal(signal.SIGCONT)
    scene.wait_for_sales()


def primary_isolated(scene: Scene) -> None:
    """The primary is cut off from the standby and from etcd; the web nodes still reach it."""
    house = scene.house
    node = house.cluster.primary()
    peers = [house.cluster.standby().machine, house.network.machines["witness"]]
    house.network.cut([node.machine], peers)
    scene.wait(FROZEN_SECONDS)
    house.network.mend()
    scene.wait_for_sales()


def primary_and_a_web_node_isolated(scene: Scene) -> None:
    """The primary and a web node are cut off from all the rest, together."""
    house = scene.house
    node, web = house.cluster.primary(), house.webs[0].machine
    here = [node.machine, web]
    there = [each for each in house.network.machines.values() if each not in here]
    house.network.cut(here, there)
    scene.wait(FROZEN_SECONDS)
    house.network.mend()
    scene.wait_for_sales()


def web_cut_from_primary(scene: Scene) -> None:
    """One web node is cut off from the primary."""
    house = scene.house
    house.network.cut([house.webs[0].machine], [house.cluster.primary().machine])
    scene.wait(AWAY_SECONDS)
    house.network.mend()
    scene.wait_for_sales()


def standby_killed(scene: Scene) -> None:
    """The standby's machine is lost (kill -9), and comes back."""
    node = scene.house.cluster.standby()
    node.machine.signal(signal.SIGKILL)
    scene.wait(AWAY_SECONDS)
    scene.wait_for_sales()
    node.start()


def standby_frozen(scene: Scene) -> None:
    """Everything on the standby's machine hangs (SIGSTOP), then goes on."""
    node = scene.house.cluster.standby()
    scene.house.cluster.freeze(node)
    scene.wait(FROZEN_SECONDS)
    scene.house.cluster.thaw(node)
    scene.wait_for_sales()


def standby_cut(scene: Scene) -> None:
    """The network between primary and standby is cut."""
    house = scene.house
    house.network.cut([house.cluster.primary().machine], [house.cluster.standby().machine])
    scene.wait(FROZEN_SECONDS)
    house.network.mend()
    scene.wait_for_sales()


def both_one_after_the_other(scene: Scene) -> None:
    """The standby is lost; the primary sells alone, and is lost too; the standby comes back first.

    It lacks what was sold meanwhile, so it must not take over: nothing is sold until the one comes
    back that has everything.
    """
    cluster = scene.house.cluster
    primary, standby = cluster.primary(), cluster.standby()
    standby.machine.signal(signal.SIGKILL)
    scene.wait(AWAY_SECONDS)
    scene.wait_for_sales(30)
    primary.machine.signal(signal.SIGKILL)
    standby.start()
    scene.wait(FROZEN_SECONDS)
    primary.start()
    scene.wait_for_sales()


def primary_replaced(scene: Scene) -> None:
    """The primary is lost with its disk; an empty one takes its place, and over from the other.

    So everything that was ever answered is on the copy that was made while the house sold.
    """
    cluster = scene.house.cluster
    node, other = cluster.primary(), cluster.standby()
    node.machine.signal(signal.SIGKILL)
    shutil.rmtree(node.folder / "data")
    scene.wait_for_sales()
    node.start()
    cluster.wait_until_whole()
    other.machine.signal(signal.SIGKILL)
    scene.wait_for_sales()
    other.start()


# ---- etcd ----------------------------------------------------------------------------------------


def etcd_member_killed(scene: Scene) -> None:
    """One member of etcd is killed (kill -9), that of the primary's machine."""
    member = scene.house.cluster.primary().etcd
    member.kill()
    scene.wait(AWAY_SECONDS)
    member.start()
    scene.wait_for_sales()


def etcd_killed(scene: Scene) -> None:
    """All of etcd is killed (kill -9), and comes back."""
    members = scene.house.cluster.members
    for member in members:
        member.kill()
    scene.wait(FROZEN_SECONDS)
    for member in members:
        member.start()
    scene.wait_for_sales()


def etcd_frozen(scene: Scene) -> None:
    """All of etcd hangs (SIGSTOP), then goes on."""
    members = scene.house.cluster.members
    for member in members:
        member.signal(signal.SIGSTOP)
    scene.wait(FROZEN_SECONDS)
    for member in members:
        member.signal(signal.SIGCONT)
    scene.wait_for_sales()


# ---- the house -----------------------------------------------------------------------------------


def web_killed(scene: Scene) -> None:
    """A web node is killed (kill -9)."""
    _killed(scene, scene.house.webs[0], AWAY_SECONDS)


def web_frozen(scene: Scene) -> None:
    """A web node hangs (SIGSTOP), then goes on."""
    _frozen(scene, scene.house.webs[1], FROZEN_SECONDS)


def proxy_killed(scene: Scene) -> None:
    """HAProxy is killed (kill -9), and started again two seconds later."""
    _killed(scene, scene.house.proxy, 2)


def proxy_frozen(scene: Scene) -> None:
    """HAProxy hangs for ten seconds (SIGSTOP)."""
    _frozen(scene, scene.house.proxy, 10)


def caller_killed(scene: Scene) -> None:
    """The caller is killed (kill -9) and not started; the second one takes over."""
    _killed(scene, scene.house.holder("caller", scene.house.callers), TAKEN_OVER_SECONDS)


def caller_frozen(scene: Scene) -> None:
    """The caller hangs (SIGSTOP) until the second has taken over, then goes on."""
    _frozen(scene, scene.house.holder("caller", scene.house.callers), TAKEN_OVER_SECONDS)


def spooler_killed(scene: Scene) -> None:
    """The spooler is killed (kill -9), and started again."""
    _killed(scene, scene.house.holder("printer P1", scene.house.spoolers), 5)


def generator_killed(scene: Scene) -> None:
    """The generator is killed (kill -9), started and unlocked."""
    _keyed_killed(scene, "rng")


def generator_frozen(scene: Scene) -> None:
    """The generator hangs (SIGSTOP) under the eyes of 40 supervisors, then goes on."""
    _keyed_frozen(scene, "rng")


def inspector_killed(scene: Scene) -> None:
    """The inspector's process is killed (kill -9), started and unlocked."""
    _keyed_killed(scene, "inspector")


def inspector_frozen(scene: Scene) -> None:
    """The inspector's process hangs (SIGSTOP) under the eyes of 40 supervisors, then goes on."""
    _keyed_frozen(scene, "inspector")


def keyed_cut(scene: Scene) -> None:
    """Both web nodes are cut off from the keyed processes, under the eyes of 40 supervisors."""
    house = scene.house
    keyed = [program.machine for program in house.keyed.values()]
    with _in_view(scene):
        house.network.cut([web.machine for web in house.webs], keyed)
        scene.wait(FROZEN_SECONDS)
        scene.wait_for_sales()
        house.network.mend()
        scene.wait_for_sales()


def power_cut(scene: Scene) -> None:
    """Everything is killed at once (kill -9), and started again."""
    house = scene.house
    for node in house.cluster.nodes.values():
        node.machine.signal(signal.SIGKILL)
    for program in (*house.cluster.members, *house.programs):
        program.kill()
    scene.wait(3)
    for member in house.cluster.members:
        member.start()
    for node in house.cluster.nodes.values():
        node.start()
    for role in house.keyed:
        house.start_keyed(role)
    for program in house.programs:
        if not program.is_running:
            program.start()
    scene.wait_for_sales()


def _killed(scene: Scene, program: Program, seconds: float) -> None:
    program.kill()
    scene.wait(seconds)
    program.start()
    scene.wait_for_sales()


def _frozen(scene: Scene, program: Program, seconds: float) -> None:
    program.signal(signal.SIGSTOP)
    scene.wait(seconds)
    program.signal(signal.SIGCONT)
    scene.wait_for_sales()


def _keyed_killed(scene: Scene, role: Role) -> None:
    scene.house.keyed[role].kill()
    scene.wait(AWAY_SECONDS)
    scene.house.keyed[role].start()
    rehearsal.unlock(scene.house.folder, role)
    scene.wait_for_sales()


def _keyed_frozen(scene: Scene, role: Role) -> None:
    with _in_view(scene):
        _frozen(scene, scene.house.keyed[role], FROZEN_SECONDS)


@contextmanager
def _in_view(scene: Scene) -> Iterator[None]:
    """Have supervisors look on: whoever asks how things stand must not keep others from selling.

    A page that does not come now and then is what stations meet too, on a machine that is busy.

    Raises:
        Blind: three times of four it did not come.
    """
    scene.screens.seen.clear()
    with scene.screens.on():
        yield
    seen = Counter(scene.screens.seen)
    if 4 * seen["200"] < seen.total():
        said = ", ".join(f"{each} {count} times" for each, count in seen.most_common())
        raise Blind(f"supervisors saw {said}")


def nothing(scene: Scene) -> None:
    """Nothing is done: what the figures are when all is well."""
    scene.wait(FROZEN_SECONDS)


def _others(house: House, node: Node) -> list[Machine]:
    return [each for each in house.network.machines.values() if each is not node.machine]


FAULTS: dict[str, Callable[[Scene], None]] = {
    fault.__name__.replace("_", "-"): fault
    for fault in (
        nothing,
        primary_killed,
        server_killed,
        patroni_killed,
        patroni_frozen,
        primary_frozen,
        primary_silent,
        primary_isolated,
        primary_and_a_web_node_isolated,
        web_cut_from_primary,
        standby_killed,
        standby_frozen,
        standby_cut,
        both_one_after_the_other,
        primary_replaced,
        etcd_member_killed,
        etcd_killed,
        etcd_frozen,
        web_killed,
        web_frozen,
        proxy_killed,
        proxy_frozen,
        caller_killed,
        caller_frozen,
        spooler_killed,
        generator_killed,
        generator_frozen,
        inspector_killed,
        inspector_frozen,
        keyed_cut,
        power_cut,
    )
}
