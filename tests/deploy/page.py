"""Helpers of `test_page` that other tests use too."""

# Commands of the machine are written down; nobody is given away to who is not there.
MACHINE = r"""
set -e -o pipefail
asked() { echo "$*" >> "$ROOT/asked"; }
apt-get() { asked apt-get "$@"; }
systemctl() { asked systemctl "$@"; }
runuser() { asked runuser "$@"; }
haproxy() { asked haproxy "$@"; }
patronictl() { asked patronictl "$@"; }
pg_createcluster() {
    asked pg_createcluster "$@"
    mkdir --parents "$ROOT/etc/postgresql/15/trial/conf.d"
}
make() { command make --dry-run "$@"; }
install() {
    local words=()
    for word in "$@"; do [[ $word == --owner=* || $word == --group=* ]] || words+=("$word"); done
    command install "${words[@]}"
}
"""
