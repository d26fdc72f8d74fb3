"""Another commit of this repository, measured beside this one."""

import tomllib

from . import machine
from .laboratory import Laboratory
from .lastro import Lastro


class OtherVersion(Lastro):
    """Lastro at a commit, over a data set that it made itself."""

    def __init__(self, commit, directory, filings):
        self.commit = machine.short_name(commit)
        self.clone = machine.TOOLS / "versions" / self.commit
        super().__init__(Laboratory(directory, filings, self.clone / "target" / "release" / "lastro"))
        self.name = f"Lastro at {self.commit}"

    def prepare(self):
        if not self.laboratory.program.exists():
            self.build()
        self.laboratory.directory.mkdir()
        self.laboratory.fill()
        super().prepare()

    def build(self):
        machine.say(f"building {self.name}")
        if not self.clone.exists():
            machine.clone(self.commit, self.clone)
        # Versions without the choice have the allocator of the deployed binary in every build.
        manifest = tomllib.loads((self.clone / "crates" / "server" / "Cargo.toml").read_text())
        features = [machine.ALLOCATOR] if "jemalloc" in manifest.get("features", {}) else []
        machine.build("lastro", features=features, source=self.clone, target=self.clone / "target")
