"""Runs Toolcrib as an installed agent of Harbor, the harness of Terminal-Bench.

    harbor run --dataset terminal-bench@2.0 --agent toolcrib_agent:Toolcrib --model anthropic/claude-sonnet-5-5
"""

import json
import os
import shlex

from harbor.agents.installed.base import BaseInstalledAgent, with_prompt_template
from harbor.environments.base import BaseEnvironment
from harbor.models.agent.context import AgentContext

NODE_VERSION = "24"
OUTPUT = "toolcrib.jsonl"

# The variables that hold keys and addresses of providers. Only those of the chosen provider are passed on.
PROVIDER_VARIABLES = {
    "anthropic": ["ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"],
    "openai": ["OPENAI_API_KEY", "OPENAI_BASE_URL"],
    "google": ["GEMINI_API_KEY", "GOOGLE_API_KEY"],
    "openrouter": ["OPENROUTER_API_KEY"],
}


class Toolcrib(BaseInstalledAgent):
    """Installs Toolcrib in the container of a task and runs one turn without questions.

    The container of the task is the boundary, so every call is allowed and commands run without a sandbox of their own.
    """

    @staticmethod
    def name() -> str:
        return "toolcrib"

    def get_version_command(self) -> str | None:
        return ". ~/.nvm/nvm.sh; toolcrib --version"

    async def install(self, environment: BaseEnvironment) -> None:
        await self.exec_as_root(
            environment,
            command="apt-get update && apt-get install -y curl ca-certificates git",
            env={"DEBIAN_FRONTEND": "noninteractive"},
        )
        package = shlex.quote(f"toolcrib@{self._version or 'latest'}")
        await self.exec_as_agent(
            environment,
            command=(
                "curl -fsSL https://raw.githubusercontent.com/nvm-sh/nvm/v0.40.3/install.sh | bash; "
                f". ~/.nvm/nvm.sh && nvm install {NODE_VERSION} && npm install --global {package}"
            ),
        )

    @with_prompt_template
    async def run(
        self,
        instruction: str,
        environment: BaseEnvironment,
        context: AgentContext,
    ) -> None:
        if not self.model_name or "/" not in self.model_name:
            raise ValueError("Name the model as provider/name, such as anthropic/claude-sonnet-5-5.")
        provider = self.model_name.split("/", 1)[0]
        names = PROVIDER_VARIABLES.get(provider, [])
        keys = {name: os.environ[name] for name in names if name in os.environ}
        # The task is read from standard input, so that a task that begins with a dash is not an option. Toolcrib exits with
        # 3 or 4 when its last calls were denied: the tests of the task decide what that means.
        await self.exec_as_agent(
            environment,
            command=(
                ". ~/.nvm/nvm.sh; mkdir -p /logs/agent; "
                f"printf %s {shlex.quote(instruction)} | "
                f"{{ toolcrib run - --jsonl --model {shlex.quote(self.model_name)} --mode yolo --sandbox none --no-input "
                f"--max-rounds 500 > /logs/agent/{OUTPUT} 2> /logs/agent/toolcrib.log || [ $? -le 4 ]; }}"
            ),
            env=keys,
        )

    def populate_context_post_run(self, context: AgentContext) -> None:
        """Reports the tokens and the cost of the whole session, subagents included."""
        usage = last_usage(self.logs_dir / OUTPUT)
        if usage is None:
            return
        total = usage["total"]
        context.n_input_tokens = total["input"]
        context.n_cache_tokens = total["cached"]
        context.n_output_tokens = total["output"]
        context.cost_usd = usage["cost"]


def last_usage(path) -> dict | None:
    """Returns the last `usage` event of a session; None when there is none."""
    if not path.exists():
        return None
    found = None
    for line in path.read_text(errors="replace").splitlines():
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            continue
        if isinstance(event, dict) and event.get("type") == "usage":
            found = event
    return found
