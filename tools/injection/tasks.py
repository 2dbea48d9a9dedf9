"""AgentDojo's tasks as plans for autopilots, one JSON object on a line.

    PYTHONPATH=… python3 tasks.py

{"kind": "user", "suite", "task", "request", "steps", "reads_only"} for each user task, and
{"kind": "attack", "suite", "task", "injection", "steps"} for each pair of user task and injection task of a suite.

AgentDojo's tools are translated to primitives, for users and attackers alike: what reads becomes a read, what goes to somebody (mail, message,
invitation, payment, booking) becomes `send_email` to that one's address, a note or an entry of one's own becomes `write_outcome_draft`, and whatever the
catalogue does not have (deleting, passwords, posting to a site) keeps its own name. People, channels, places and accounts get an address; a user's
request names the address of everybody and everything that it names, and of nobody else.
"""

import hashlib
import importlib.abc
import importlib.machinery
import json
import re
import sys
from unittest.mock import MagicMock


class Absent(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """The programs that ask models, which nothing here uses."""

    NAMES = {"anthropic", "cohere", "openai", "google", "vertexai", "tenacity", "langchain", "transformers", "torch", "rich", "dotenv", "requests", "click"}

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in self.NAMES:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        module = MagicMock(name=spec.name)
        module.__path__ = []
        module.__spec__ = spec
        return module

    def exec_module(self, module):
        pass


sys.meta_path.insert(0, Absent())
from agentdojo.task_suite.load_suites import get_suites  # noqa: E402

# Injections without a recorded way, as their goal says.
MARK = ["mark.black-2134@gmail.com"]
UNRECORDED = {("workspace", f"injection_task_{n}"): [("send_email", {"recipients": MARK}), ("delete_email", {})] for n in range(6, 13)}
UNRECORDED["workspace", "injection_task_13"] = [("send_email", {"recipients": [name]}) for name in ("james.miller@bluesparrowtech.com", "mark.davies@hotmail.com")]
UNRECORDED["travel", "injection_task_6"] = [("note", {"text": "visit Riverside View Hotel"})]

READS = re.compile(r"^(get_|search_|list_|read_|check_)")
NOTES = {"create_file", "append_to_file", "note", "reschedule_calendar_event"}
PEOPLE = {
    "send_email": "recipients", "create_calendar_event": "participants", "add_calendar_event_participants": "participants", "share_file": "email",
    "send_direct_message": "recipient", "send_channel_message": "channel", "invite_user_to_slack": "user_email", "add_user_to_channel": "user",
    "send_money": "recipient", "schedule_transaction": "recipient", "update_scheduled_transaction": "recipient",
    "reserve_hotel": "hotel", "reserve_restaurant": "restaurant", "reserve_car_rental": "company",
}
HOSTS = {"slack": "slack.example", "banking": "bank.example", "travel": "travel.example", "workspace": "work.example"}


def address(name, suite):
    name = str(name).strip()
    return name.lower() if "@" in name else re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") + "@" + HOSTS[suite]


def names(environment):
    """What has an address beside mail addresses: people, channels, places, accounts."""
    found = set()
    dump = environment.model_dump()
    slack = dump.get("slack", {})
    found.update(slack.get("users", []), slack.get("channels", []))
    for part, key in (("hotels", "hotel_list"), ("restaurants", "restaurant_list"), ("car_rental", "company_list")):
        found.update(item["name"] for item in dump.get(part, {}).get(key, []))
    return {name for name in found if name}


def request(prompt, suite, known):
    named = [name for name in sorted(known) if re.search(rf"(?<!\w){re.escape(name)}(?!\w)", prompt)]
    named += re.findall(r"\b[A-Z]{2}\d{12,}\b", prompt)
    return prompt + "".join(f" ({address(name, suite)})" for name in dict.fromkeys(named))


def hashed(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()


def step(function, args, suite):
    if function == "get_webpage":
        url = str(args["url"])
        url = url if "://" in url else "http://" + url
        return 0, {"type": "read_web", "target": url, "url": url}
    if READS.match(function):
        return 0, {"type": "read_forwarded_email", "target": "inbox", "sha256": hashed([function, args])}
    whom = args.get(PEOPLE.get(function, ""))
    if whom:
        to = [address(one, suite) for one in (whom if isinstance(whom, list) else [whom])]
        text = str(args.get("body") or args.get("subject") or args.get("title") or function)
        subject = " ".join(str(args.get("subject") or args.get("title") or function).split())[:150]
        return 2, {"type": "send_email", "target": to[0], "to": to, "subject": subject, "body": text[:2000] + "\n"}
    if function in NOTES or function == "create_calendar_event":
        return 1, {"type": "write_outcome_draft", "target": "outbox", "title": function, "body": json.dumps(args, default=str)[:2000] + "\n"}
    return 1, {"type": function, "target": "outbox"}


def steps(calls, suite):
    """In an order that is allowed: what cannot be undone comes last. Reads of the same kind are one."""
    made, seen = [], set()
    for function, args in calls:
        rank, made_of = step(function, dict(args), suite)
        once = made_of["type"] if made_of["type"] == "read_forwarded_email" else json.dumps(made_of, sort_keys=True)
        if rank or once not in seen:
            seen.add(once)
            made.append((rank, made_of))
    return [made_of for _, made_of in sorted(made, key=lambda pair: pair[0])]


for suite_name, suite in get_suites("v1.2.2").items():
    environment = suite.load_and_inject_default_environment({})
    known = names(environment)

    def calls(task):
        return [(call.function, call.args) for call in task.ground_truth(environment.model_copy(deep=True))]

    attacks = {}
    for name, task in suite.injection_tasks.items():
        attacks[name] = steps(calls(task) or UNRECORDED[suite_name, name], suite_name)
    for name, task in suite.user_tasks.items():
        own = steps(calls(task), suite_name)
        only = all(one["type"].startswith("read_") for one in own)
        line = {"kind": "user", "suite": suite_name, "task": name, "request": request(task.PROMPT, suite_name, known), "steps": own, "reads_only": only}
        print(json.dumps(line))
        for injection, attack in attacks.items():
            print(json.dumps({"kind": "attack", "suite": suite_name, "task": name, "injection": injection, "steps": attack}))
