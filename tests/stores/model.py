"""What a store should do, written once more, as plainly as can be."""

from __future__ import annotations

from dataclasses import dataclass, field

from trimtab.stores import Record


@dataclass
class Model:
    ttl: float | None
    max_records: int | None
    max_bytes: int | None
    records: dict[str, Record] = field(default_factory=dict)
    claims: dict[str, tuple[str, float]] = field(default_factory=dict)

    def live(self, now):
        return {k: r for k, r in self.records.items() if r.expires is None or now < r.expires}

    def get(self, now, key):
        return self.live(now).get(key)

    def put(self, now, key, value):
        if key not in self.live(now):
            self.records[key] = Record(key, value, now, self.ttl and now + self.ttl)
        return self.records[key]

    def claim(self, now, key, holder, seconds):
        owner, until = self.claims.get(key, (holder, now))
        if key in self.live(now) or (owner != holder and now < until):
            return False
        self.claims[key] = holder, now + seconds
        return True

    def release(self, now, key, holder):
        owner, until = self.claims.get(key, (None, 0))
        if owner == holder:
            del self.claims[key]
        return owner == holder and now < until

    def scan(self, now, older_than, limit):
        rows = sorted(self.live(now).values(), key=lambda r: (r.created, r.key))
        return [r for r in rows if not older_than or r.created < now - older_than][:limit]

    def prune(self, now, max_age=None, max_records=None, max_bytes=None):
        max_records = self.max_records if max_records is None else max_records
        max_bytes = self.max_bytes if max_bytes is None else max_bytes
        before = len(self.records)
        kept = self.scan(now, 0, before)
        while kept and (
            (max_age is not None and kept[0].created < now - max_age)
            or (max_records is not None and len(kept) > max_records)
            or (max_bytes is not None and sum(map(size, kept)) > max_bytes)
        ):
            kept.pop(0)
        self.records = {r.key: r for r in kept}
        return before - len(kept)


def size(record):
    return sum(len(t.encode("utf-8", "surrogatepass")) for t in (record.key, record.value))
