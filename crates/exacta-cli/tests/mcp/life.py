"""The whole life of a change, driven by the official SDK's client: life.py MODE EXACTA PROJECT KEY [URL], with EXACTA_TOKEN for a URL"""

import asyncio
import contextlib
import json
import os
import subprocess
import sys

from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

MODE, EXACTA, PROJECT, KEY = sys.argv[1:5]
URL = sys.argv[5] if len(sys.argv) > 5 else None

PATCH = """diff --git a/greet.txt b/greet.txt
--- a/greet.txt
+++ b/greet.txt
@@ -1,2 +1,2 @@
 hello
-world
+there
"""
CHANGE = {"patch": PATCH, "intent": "FixBug", "text": "the greeting names the wrong place"}


def exacta(*arguments):
    """What a person does, in another window."""
    done = subprocess.run([EXACTA, "--project", PROJECT, *arguments], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


async def transport(stack):
    """A pipe to a process, or HTTP with a token."""
    if URL is None:
        return StdioServerParameters(command=EXACTA, args=["mcp", "--project", PROJECT, "--agent", "sdk"], env=dict(os.environ))
    bearer = {"Authorization": "Bearer " + os.environ["EXACTA_TOKEN"]}
    http = await stack.enter_async_context(create_mcp_http_client(headers=bearer))
    return streamable_http_client(URL, http_client=http)


async def life():
    said = {}
    async with contextlib.AsyncExitStack() as stack:
        client = await stack.enter_async_context(Client(await transport(stack), mode=MODE))

        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            assert result.structured_content == json.loads(result.content[0].text), tool
            return result

        said["tools"] = [tool.name for tool in (await client.list_tools()).tools]
        checked = (await call("check", **CHANGE)).structured_content
        said["checked"] = [checked["state"], checked["decision"]]
        wrong = await call("submit", patch=PATCH)
        said["wrong"] = [wrong.is_error, wrong.structured_content["error"]["code"]]
        plan = (await call("submit", run=True, **CHANGE)).structured_content
        said["submitted"] = [plan["state"], plan["next"]["who"], plan["next"]["tool"]]
        waited = (await call("wait", plan_id=plan["plan_id"], seconds=1)).structured_content
        said["waited"] = waited["state"]

        waiting = asyncio.create_task(call("wait", plan_id=plan["plan_id"], seconds=50))
        listed = (await call("status")).structured_content
        said["listed"] = [line["status"] for line in listed["plans"]]
        exacta("approve", plan["plan_id"], "--hash", plan["plan_hash"], "--approver-key", KEY)
        said["decided"] = (await waiting).structured_content["state"]
        exacta("execute", plan["plan_id"])
        said["applied"] = (await call("wait", plan_id=plan["plan_id"], until="applied")).structured_content["state"]

        found = (await call("findings", plan_id=plan["plan_id"])).structured_content
        said["gates"] = sorted({gate["gate"] for gate in found["gates"]})
        said["schema"] = (await call("read_schema")).structured_content["domain"]
        second = (await call("submit", patch=PATCH.replace("there", "again").replace("world", "there"),
                             intent="FixBug", text="name it again")).structured_content
        said["withdrawn"] = (await call("withdraw", plan_id=second["plan_id"], reason="not wanted")).structured_content["state"]

        resources = [resource.uri for resource in (await client.list_resources()).resources]
        said["resources"] = [str(uri) for uri in resources][:3]
        diff = await client.read_resource(f"exacta://plan/{plan['plan_id']}/diff")
        said["diff"] = diff.contents[0].text.splitlines()[-3:]
        said["templates"] = len((await client.list_resource_templates()).resource_templates)
        prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
        said["prompts"] = prompts
        prompt = await client.get_prompt("change", {"task": "Greet the moon."})
        said["prompt"] = prompt.messages[0].content.text.splitlines()[0]
    print(json.dumps(said))


asyncio.run(asyncio.wait_for(life(), 100))
