"""Downloads from servers that do everything wrong: the right file, or one message and nothing on disk."""

import errno
import gzip
import hashlib
import io
import queue
import tarfile
import threading
import zipfile
from contextlib import nullcontext
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from toy_files import CONTENT, OTHER, SHA256, raw

from dpmia.common.errors import DataError
from dpmia.datasets.raw import fetch as fetching
from dpmia.datasets.raw.fetch import fetch


def zipped(members):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return buffer.getvalue()


def tarred(members):
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w:gz") as archive:
        for name, content in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
        link = tarfile.TarInfo("link.data")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/hostname"
        archive.addfile(link)
    return buffer.getvalue()


BODIES = {
    "/good": CONTENT,
    "/good.gz": gzip.compress(CONTENT),
    "/good.zip": zipped({"read.me": b"hello", "folder/toy.data": CONTENT}),
    "/good.tar.gz": tarred({"read.me": b"hello", "folder/toy.data": CONTENT}),
    "/parts.zip": zipped({f"part {number}": CONTENT for number in range(3)}),
    "/parts.tar.gz": tarred({f"part {number}": CONTENT for number in range(3)}),
    "/damaged.zip": zipped({"part 0": CONTENT, "part 1": OTHER}),
    "/corrupt": OTHER,
    "/corrupt.gz": gzip.compress(CONTENT)[:-4] + b"\0\0\0\0",
    "/corrupt.zip": zipped({"toy.data": CONTENT})[:-30],
    "/corrupt.tar.gz": tarred({"toy.data": CONTENT})[:5000],
    "/long": CONTENT + b"x",
    "/bomb.gz": gzip.compress(b"0" * 20_000_000),
    "/short": CONTENT[:-1],
    "/page": b"\n  <!DOCTYPE html><html>Please log in</html>",
    "/evil.zip": zipped({"../toy.data": CONTENT}),
    "/evil.tar.gz": tarred({"../toy.data": CONTENT}),
}


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        server.asked.append(self.path)
        if self.path == "/busy" and server.asked.count("/busy") > 2:
            self.path = "/good"
        if self.path in ("/busy", "/missing"):
            self.send_error(503 if self.path == "/busy" else 404)
            return
        if self.path == "/nowhere":
            self.send_response(302)
            self.send_header("Location", "http://[::1")
            self.end_headers()
            return
        body = BODIES.get(self.path, CONTENT)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        try:
            if self.path == "/cut":
                self.wfile.write(body[: len(body) // 2])
            elif self.path == "/stall":
                self.wfile.write(body[: len(body) // 2])
                server.over.wait(5)
            elif self.path == "/dribble":
                for byte in body[:100]:
                    self.wfile.write(bytes([byte]))
                    if server.over.wait(0.02):
                        return
            else:
                self.wfile.write(body)
        except OSError:
            server.hung_up.put(self.path)

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def loopback():
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.over, server.asked, server.hung_up = threading.Event(), [], queue.Queue()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    yield server
    server.over.set()
    server.shutdown()
    thread.join(5)
    server.server_close()


@pytest.fixture
def server(loopback, monkeypatch):
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    loopback.asked.clear()
    loopback.hung_up = queue.Queue()
    return loopback


@pytest.fixture
def url(server):
    return lambda path: f"http://127.0.0.1:{server.server_port}{path}"


def quick(file, destination, **settings):
    quick_all([replace(file, file=destination.name)], destination.parent, **settings)


def quick_all(wanted, folder, **settings):
    fetch(wanted, folder, **{"timeout": 0.3, "attempts": 1, "pause": 0.01, **settings})


def files(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.mark.parametrize("path", ["/good", "/good.gz", "/good.zip#folder/toy.data", "/good.tar.gz#folder/toy.data"])
def test_every_kind_of_source_gives_the_same_file(tmp_path, url, path):
    quick(raw(url(path)), tmp_path / "new" / "toy.data")
    assert (tmp_path / "new" / "toy.data").read_bytes() == CONTENT
    assert files(tmp_path) == ["toy.data"]


FAULTS = {
    "/missing": "HTTP status 404",
    "/nowhere": "Invalid IPv6 URL",
    "/page": "an HTML page instead of the file",
    "/corrupt": hashlib.sha256(OTHER).hexdigest(),
    "/corrupt.gz": "length",
    "/corrupt.zip#toy.data": "neither a zip nor a tar archive",
    "/corrupt.tar.gz#toy.data": "EOFError|ReadError|end-of-stream",
    "/long": f"more than the expected {len(CONTENT)} bytes",
    "/bomb.gz": f"more than the expected {len(CONTENT)} bytes",
    "/short": f"only {len(CONTENT) - 1} of {len(CONTENT)} bytes",
    "/cut": "IncompleteRead|only",
    "/stall": "no response in time",
    "/good.zip#toy.data": "no member 'toy.data' in the archive",
    "/good.tar.gz#toy.data": "no member 'toy.data' in the archive",
    "/good.tar.gz#link.data": "no member 'link.data' in the archive",
    "/evil.zip#toy.data": "no member 'toy.data' in the archive",
    "/evil.zip#../toy.data": "leaves the archive's folder",
    "/evil.tar.gz#../toy.data": "leaves the archive's folder",
    "/good#toy.data": "neither a zip nor a tar archive",
}


@pytest.mark.parametrize(("path", "fault"), FAULTS.items())
def test_a_wrong_source_is_reported_and_leaves_nothing(tmp_path, url, path, fault):
    with pytest.raises(DataError, match=fault) as caught:
        quick(raw(url(path)), tmp_path / "toy.data")
    message = str(caught.value)
    for part in (url(path), SHA256, str(len(CONTENT)), "https://example.org/toy", "data_mirror>/toy/toy.data"):
        assert part in message
    assert files(tmp_path) == []


def test_an_unreachable_server_is_reported(tmp_path):
    with pytest.raises(DataError, match=r"127\.0\.0\.1:9/toy.*ConnectionError"):
        quick(raw("http://127.0.0.1:9/toy"), tmp_path / "toy.data")


def test_a_dribbling_server_is_left(tmp_path, url, monkeypatch):
    monkeypatch.setattr(fetching, "SLOWEST", 10 * len(CONTENT))
    with pytest.raises(DataError, match="not done after"):
        quick(raw(url("/dribble")), tmp_path / "toy.data")


def test_reading_stops_at_the_first_byte_too_many(tmp_path, server, url, monkeypatch):
    monkeypatch.setitem(BODIES, "/endless", CONTENT + b"x" * 50_000_000)
    with pytest.raises(DataError, match="more than"):
        quick(raw(url("/endless")), tmp_path / "toy.data")
    # Servers that earlier tests left hanging may notice late: wait for this one.
    while server.hung_up.get(timeout=5) != "/endless":
        pass


def test_what_may_pass_is_tried_again_and_what_may_not_is_not(tmp_path, server, url):
    quick(raw(url("/missing"), url("/busy")), tmp_path / "toy.data", attempts=4)
    assert (tmp_path / "toy.data").read_bytes() == CONTENT
    assert server.asked == ["/missing", "/busy", "/busy", "/busy"]


def test_attempts_end(tmp_path, server, url):
    with pytest.raises(DataError) as caught:
        quick(raw(url("/corrupt"), url("/short")), tmp_path / "toy.data", attempts=2)
    assert server.asked == ["/corrupt", "/short"] * 2
    assert url("/corrupt") in str(caught.value)
    assert url("/short") in str(caught.value)


def test_the_pause_doubles(tmp_path, url, monkeypatch):
    slept = []
    monkeypatch.setattr(fetching.time, "sleep", slept.append)
    with pytest.raises(DataError):
        quick(raw(url("/short")), tmp_path / "toy.data", attempts=4, pause=1.5)
    assert slept == [1.5, 3.0, 6.0]


def parts(address, count):
    """Return several files that one archive holds."""
    return [
        replace(raw(f"{address}#part {number}"), file=f"part {number}", mirror=(f"toy/part {number}",))
        for number in range(count)
    ]


@pytest.mark.parametrize("path", ["/parts.zip", "/parts.tar.gz"])
def test_an_archive_of_several_files_is_downloaded_once(tmp_path, server, url, path):
    quick_all(parts(url(path), 3), tmp_path)
    assert files(tmp_path) == ["part 0", "part 1", "part 2"]
    assert {file.read_bytes() for file in tmp_path.iterdir()} == {CONTENT}
    assert server.asked == [path]


def test_of_an_archive_only_what_is_missing_is_downloaded(tmp_path, server, url):
    wanted = parts(url("/parts.zip"), 3)
    (tmp_path / "mirror/toy").mkdir(parents=True)
    for part in (0, 2):
        (tmp_path / f"mirror/toy/part {part}").write_bytes(CONTENT)
    quick_all([wanted[0], wanted[2]], tmp_path / "raw", mirror=tmp_path / "mirror")
    assert server.asked == []
    quick_all(wanted, tmp_path / "raw", mirror=tmp_path / "mirror")
    assert files(tmp_path / "raw") == ["part 0", "part 1", "part 2"]
    assert server.asked == ["/parts.zip"]


def test_an_archive_with_a_damaged_member_is_downloaded_anew_and_that_member_is_named(tmp_path, server, url):
    with pytest.raises(DataError, match=rf"toy/part 1: .*{hashlib.sha256(OTHER).hexdigest()}"):
        quick_all(parts(url("/damaged.zip"), 2), tmp_path, attempts=2)
    assert files(tmp_path) == ["part 0"]
    assert server.asked == ["/damaged.zip"] * 2


def test_where_an_archive_has_no_place_the_reason_is_named(tmp_path, server, url, monkeypatch):
    def none():
        raise FileNotFoundError(errno.ENOENT, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(fetching.tempfile, "TemporaryFile", none)
    with pytest.raises(DataError, match=r"toy/part 0: .*No usable temporary directory found"):
        quick_all(parts(url("/parts.zip"), 1), tmp_path)
    assert server.asked == []


@pytest.mark.parametrize("form", ["plain", "gz"])
def test_a_mirror_comes_before_any_server(tmp_path, server, url, form):
    mirror = tmp_path / "mirror"
    (mirror / "toy").mkdir(parents=True)
    if form == "plain":
        (mirror / "toy" / "toy.data").write_bytes(CONTENT)
    else:
        (mirror / "toy" / "toy.data.gz").write_bytes(gzip.compress(CONTENT))
    quick(raw(url("/good")), tmp_path / "raw" / "toy.data", mirror=mirror)
    assert (tmp_path / "raw" / "toy.data").read_bytes() == CONTENT
    assert server.asked == []


@pytest.mark.parametrize("content", [None, OTHER, b""])
def test_what_a_mirror_lacks_or_has_wrong_comes_from_the_publisher(tmp_path, server, url, content):
    mirror = tmp_path / "mirror"
    (mirror / "toy").mkdir(parents=True)
    if content is not None:
        (mirror / "toy" / "toy.data").write_bytes(content)
    quick(raw(url("/good")), tmp_path / "raw" / "toy.data", mirror=mirror)
    assert (tmp_path / "raw" / "toy.data").read_bytes() == CONTENT
    assert server.asked == ["/good"]


def test_the_message_names_mirror_and_servers(tmp_path, url):
    with pytest.raises(DataError) as caught:
        quick(raw(url("/missing")), tmp_path / "toy.data", mirror=tmp_path / "mirror")
    place = tmp_path / "mirror" / "toy" / "toy.data"
    assert f"{place}: no such file" in str(caught.value)
    assert f"{url('/missing')}: HTTP status 404" in str(caught.value)
    assert f"put it at {place}" in str(caught.value)


def test_a_right_file_stays_and_no_server_is_contacted(tmp_path, server, url):
    (tmp_path / "toy.data").write_bytes(CONTENT)
    quick(raw(url("/good")), tmp_path / "toy.data")
    assert server.asked == []


def test_a_wrong_file_gives_way_only_to_the_right_one(tmp_path, url):
    (tmp_path / "toy.data").write_bytes(OTHER)
    with pytest.raises(DataError):
        quick(raw(url("/corrupt")), tmp_path / "toy.data")
    assert (tmp_path / "toy.data").read_bytes() == OTHER
    quick(raw(url("/good")), tmp_path / "toy.data")
    assert (tmp_path / "toy.data").read_bytes() == CONTENT
    assert files(tmp_path) == ["toy.data"]


def test_a_full_disk_is_no_fault_of_a_source(tmp_path, server, url, monkeypatch):
    monkeypatch.setattr(fetching, "whole_file", lambda path: nullcontext(Path("/dev/full")))
    with pytest.raises(OSError, match="No space left on device"):
        quick(raw(url("/good")), tmp_path / "toy.data")
    assert server.asked == ["/good"], "no other attempt"


@pytest.mark.parametrize("place", ["raw", "raw/toy.data"])
def test_a_place_that_is_taken_is_no_fault_of_a_source(tmp_path, server, url, place):
    if place == "raw":
        (tmp_path / place).write_text("a file")
    else:
        (tmp_path / place).mkdir(parents=True)
    with pytest.raises((FileExistsError, NotADirectoryError, IsADirectoryError)):
        quick(raw(url("/good")), tmp_path / "raw/toy.data")
    assert len(server.asked) <= 1


def test_no_server_is_contacted_where_downloads_are_off(tmp_path, server, url):
    with pytest.raises(DataError, match="downloads are off, and no mirror is named"):
        fetch([raw(url("/good"))], tmp_path, download=False)
    assert server.asked == []
    assert files(tmp_path) == []


def test_a_file_without_sources_is_reported(tmp_path):
    with pytest.raises(DataError, match=r"not offered for download") as caught:
        quick(raw(), tmp_path / "toy.data")
    assert "from https://example.org/toy and put it at <a folder" in str(caught.value)


def test_a_file_without_a_server_is_taken_from_the_mirror(tmp_path):
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "toy.data").write_bytes(CONTENT)
    quick(raw(), tmp_path / "raw" / "toy.data", mirror=tmp_path)
    assert (tmp_path / "raw" / "toy.data").read_bytes() == CONTENT


def test_a_file_may_be_known_by_its_md5(tmp_path, url):
    file = replace(raw(url("/good")), checksum=f"md5:{hashlib.md5(CONTENT).hexdigest()}")
    quick(file, tmp_path / "toy.data")
    assert (tmp_path / "toy.data").read_bytes() == CONTENT
    with pytest.raises(DataError, match=f"md5 {hashlib.md5(OTHER).hexdigest()}"):
        quick(replace(file, urls=(url("/corrupt"),)), tmp_path / "other.data")
    assert files(tmp_path) == ["toy.data"]


@pytest.mark.parametrize("content", [CONTENT, OTHER])
def test_a_file_that_cannot_be_verified_is_taken_as_found_and_reported(tmp_path, caplog, monkeypatch, url, content):
    monkeypatch.setitem(BODIES, "/unknown", content)
    unknown = replace(raw(url("/unknown")), checksum="", bytes=None, rows=None)
    quick(unknown, tmp_path / "toy.data")
    assert (tmp_path / "toy.data").read_bytes() == content
    assert "toy/toy.data: no checksum" in caplog.text
    assert hashlib.sha256(content).hexdigest() in caplog.text


def test_a_file_that_cannot_be_verified_is_not_fetched_again(tmp_path, server, url):
    (tmp_path / "toy.data").write_bytes(OTHER)
    quick(replace(raw(url("/good")), checksum="", bytes=None), tmp_path / "toy.data")
    assert (tmp_path / "toy.data").read_bytes() == OTHER
    assert server.asked == []


@pytest.mark.parametrize(("body", "fault"), [(b"", "an empty file"), (b"<html>Log in", "an HTML page")])
def test_not_everything_is_taken_for_a_file_that_cannot_be_verified(tmp_path, monkeypatch, url, body, fault):
    monkeypatch.setitem(BODIES, "/unknown", body)
    (tmp_path / "toy.data").write_bytes(b"")
    with pytest.raises(DataError, match=f"{fault}.*a file, of which no checksum is known"):
        quick(replace(raw(url("/unknown")), checksum="", bytes=None), tmp_path / "toy.data")
    assert (tmp_path / "toy.data").read_bytes() == b""


def test_a_file_of_unknown_size_has_a_limit(tmp_path, monkeypatch, url):
    monkeypatch.setattr(fetching, "LARGEST_UNKNOWN", 1000)
    with pytest.raises(DataError, match="more than the expected 1000 bytes"):
        quick(replace(raw(url("/good")), checksum="", bytes=None), tmp_path / "toy.data")
    assert files(tmp_path) == []
