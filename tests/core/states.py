"""Random states: units that arrive and grow, with every flag, zero costs and pins."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from trimtab.core.unit import HUMAN, LED, PINNED, REASONS, STANDS, SYSTEM

OPENINGS = (0, 0, 0, HUMAN | LED, HUMAN | LED, HUMAN, REASONS, SYSTEM | PINNED)


@dataclass
class State:
    """Costs and flags so far, and the arrivals that made them: (opens, cost, flags)."""

    budget: int
    human_head: bool
    reasoning_head: bool
    alternates: bool = False
    arrivals: list[tuple[bool, int, int]] = field(default_factory=list)
    costs: list[int] = field(default_factory=list)
    flags: list[int] = field(default_factory=list)

    @property
    def rules(self) -> dict[str, bool]:
        return {
            "human_head": self.human_head,
            "reasoning_head": self.reasoning_head,
            "alternates": self.alternates,
        }

    def arrive(self, rng: Random) -> tuple[bool, int, int]:
        """The next arrival: a new unit, or cost and flags for the newest."""
        cost = rng.choice((0, 0, 1, 2, 3, 5))
        if self.costs and rng.random() < 0.3 and not self.flags[-1] & SYSTEM:
            gained = HUMAN if rng.random() < 0.25 else 0
            gained |= PINNED if rng.random() < 0.06 else 0
            gained |= STANDS | PINNED if rng.random() < 0.04 else 0
            gained &= ~self.flags[-1]
            self.flags[-1] |= gained
            self.costs[-1] += cost
            arrival = (False, cost, gained | (self.flags[-1] & LED if gained & PINNED else 0))
        else:
            opening = rng.choice(OPENINGS) | (PINNED if rng.random() < 0.07 else 0)
            opening |= STANDS | PINNED if rng.random() < 0.06 else 0
            self.costs.append(cost)
            self.flags.append(opening)
            arrival = (True, cost, opening)
        self.arrivals.append(arrival)
        return arrival


def random_state(rng: Random) -> State:
    """An empty state with random rules and budget."""
    return State(rng.randint(0, 25), rng.random() < 0.5, rng.random() < 0.5, rng.random() < 0.4)
