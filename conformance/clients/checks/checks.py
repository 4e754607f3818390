"""Checks of one client: each is run whatever became of the others, and told as a line
of JSON, with what it saw, so that the runs on two servers can be compared."""
import json
import sys
import traceback


class Checks:
    def __init__(self, client, version):
        self.client, self.version, self.seen = client, version, {}

    def __call__(self, run):
        self.seen = {}
        line = {"client": self.client, "version": self.version, "check": run.__name__, "ok": True}
        try:
            run()
        except Exception as e:
            text = str(getattr(e, "orig", None) or e).strip() or traceback.format_exc()
            line.update(ok=False, why=text)
        print(json.dumps({**line, "saw": self.seen}, sort_keys=True), file=sys.__stdout__, flush=True)  # whatever a client does with stdout
        return run

    def tell(self, name, value):
        """Keeps what a check has seen."""
        self.seen[name] = value
