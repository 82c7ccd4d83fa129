"""Law 8: equal input gives equal bytes, in any process, with any hash seed."""

import json
import os
import subprocess
import sys

SCRIPT = """
import json, sys
from trimtab import Policy, fit
history = json.load(sys.stdin)
policy = Policy(depth=0.5, max_result_tokens=20, notice=True)
fitted = fit(history, 300, policy=policy, tools=[{"name": "f", "parameters": {}}])
print(json.dumps([fitted.messages, fitted.to_dict()], sort_keys=False))
"""


def agent():
    history = [{"role": "system", "content": "s"}, {"role": "user", "content": "go"}]
    for n in range(40):
        call = {"id": f"c{n}", "type": "function", "function": {"name": "f", "arguments": "{}"}}
        history += [
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": f"c{n}", "content": f"line {n}\n" * 30},
        ]
    return history


def test_equal_bytes_with_any_hash_seed():
    outputs = set()
    for seed in ("0", "1", "12345"):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            input=json.dumps(agent()),
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1


def test_importing_the_package_imports_nothing_else():
    script = (
        "import sys; before = set(sys.modules); import trimtab; "
        "print(*sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    own = [n for n in done.stdout.split() if n.split(".")[0] not in sys.stdlib_module_names]
    assert own == ["trimtab", "trimtab.lazy"]


def test_every_public_name_loads_and_stays_what_it_is():
    script = (
        "import trimtab\n"
        "things = {n: getattr(trimtab, n) for n in trimtab.__all__}\n"
        "from trimtab import fit, check, count, repair, verify\n"
        "assert all(getattr(trimtab, n) is t for n, t in things.items())\n"
        "assert callable(fit) and callable(check) and callable(count)\n"
        "homes = [name for names in trimtab._HOMES.values() for name in names]\n"
        "assert sorted(trimtab.__all__) == sorted(homes)\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)
