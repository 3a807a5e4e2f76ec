import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { apiKey } from "../../test/providers/protocol.ts";
import type { ProviderKind, ScriptedCall } from "../../test/providers/provider-server.ts";
import { launcher } from "../groups/start.ts";
import { agentFile } from "./agents.ts";
import { project } from "./project.ts";

/** An agent that uses a provider on this machine and makes the calls that it scripts. */
export interface Client {
  readonly kind: ProviderKind;
  /** How many reads the provider asks for before the agent may end. */
  readonly rounds: number;
  /** Returns the call that reads two lines from this one on. */
  read(line: number): ScriptedCall;
  /** Returns the command that starts the agent with the server at `url`. Its own files go into `home`. */
  start(server: Server, home: string): Command;
}

interface Server {
  readonly url: string;
  /** The server's name for the model. */
  readonly model: string;
}

interface Command {
  readonly program: string;
  readonly words: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
}

const { file, path: lines, folder } = project;
const limit = 2;
const task = "Read the lines.";

type Kind = "openai" | "openai-chat" | "anthropic";

export const kinds: readonly Kind[] = ["openai", "openai-chat", "anthropic"];

/** The clients by name: what they are, a comma, and the API that they use. */
export const clients: Readonly<Record<string, Client>> = {
  ...Object.fromEntries(kinds.map((kind) => [`bare AI SDK, ${kind}`, bare(kind)])),
  "toolcrib, openai": toolcrib("openai", "--dialect openai", (offset) => {
    return { name: "read_file", input: { file_path: file, offset, limit } };
  }),
  "toolcrib, openai-chat": toolcrib("openai-chat", "", (offset) => {
    return { name: "file_read", input: { path: file, offset, limit } };
  }),
  "toolcrib, anthropic": toolcrib("anthropic", "", (offset) => {
    return { name: "Read", input: { file_path: lines, offset, limit } };
  }),
  "toolcrib, openai, by commands": toolcrib("openai", "--mode yolo --sandbox none", command),
  "pi, openai": {
    kind: "openai",
    rounds: 500,
    read: (offset) => ({ name: "read", input: { path: file, offset, limit } }),
    start: ({ url, model }, home) => {
      const provider = { baseUrl: `${url}/v1`, api: "openai-responses", apiKey, models: [{ id: model }] };
      writeFileSync(join(home, "models.json"), JSON.stringify({ providers: { loopback: provider } }));
      return {
        program: process.execPath,
        words: [
          agentFile("@earendil-works/pi-coding-agent", "dist/bundle/cli.js"),
          ...["--provider", "loopback", "--model", model, "-p", task],
        ],
        variables: { PI_CODING_AGENT_DIR: home, PI_OFFLINE: "1" },
      };
    },
  },
  "codex, openai, by commands": {
    kind: "openai",
    rounds: 500,
    read: command,
    start: ({ url, model }, home) => ({
      program: process.execPath,
      words: [
        agentFile("@openai/codex", "bin/codex.js"),
        ...["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", "-m", model],
        ...["-c", "model_provider=loopback"],
        ...[
          "-c",
          `model_providers.loopback={name="loopback",base_url="${url}/v1",env_key="LOOPBACK_KEY",wire_api="responses"}`,
        ],
        task,
      ],
      variables: { CODEX_HOME: home, LOOPBACK_KEY: apiKey },
    }),
  },
  "opencode, openai-chat": {
    kind: "openai-chat",
    // Each round takes it long.
    rounds: 100,
    read: (offset) => ({ name: "read", input: { filePath: lines, offset, limit } }),
    start: ({ url, model }, home) => {
      const options = { baseURL: `${url}/v1`, apiKey };
      const provider = { npm: "@ai-sdk/openai-compatible", options, models: { [model]: { name: model } } };
      const configuration = { provider: { loopback: provider }, share: "disabled", autoupdate: false };
      return {
        program: agentFile(`opencode-${process.platform}-${process.arch}`, "bin/opencode"),
        words: ["run", "--model", `loopback/${model}`, task],
        variables: {
          OPENCODE_CONFIG_CONTENT: JSON.stringify(configuration),
          OPENCODE_DISABLE_MODELS_FETCH: "1",
          OPENCODE_DISABLE_AUTOUPDATE: "1",
          OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
          ...Object.fromEntries(
            ["CONFIG", "DATA", "CACHE", "STATE"].map((name) => [`XDG_${name}_HOME`, join(home, name)]),
          ),
        },
      };
    },
  },
};

function bare(kind: Kind): Client {
  return {
    kind,
    rounds: 500,
    read: (offset) => ({ name: "read", input: { path: file, offset, limit } }),
    start: ({ url, model }) => ({
      program: process.execPath,
      words: [fileURLToPath(new URL("bare-loop.mjs", import.meta.url)), kind, `${url}/v1`, model],
      variables: {},
    }),
  };
}

function toolcrib(kind: Kind, options: string, read: Client["read"]): Client {
  return {
    kind,
    rounds: 500,
    read,
    start: ({ url, model }, home) => {
      const providers = { [kind]: { baseUrl: `${url}/v1`, apiKey } };
      mkdirSync(join(home, "config"), { recursive: true });
      writeFileSync(join(home, "config", "models.json"), JSON.stringify({ providers }), { mode: 0o600 });
      return {
        program: process.execPath,
        words: [
          launcher,
          ...["run", "--model", `${kind}/${model}`, "--max-rounds", "1000", "--workspace", folder],
          ...options.split(" ").filter((word) => word !== ""),
          task,
        ],
        variables: { TOOLCRIB_HOME: home },
      };
    },
  };
}

/** Codex reads files by commands. */
function command(line: number): ScriptedCall {
  return { name: "exec_command", input: { cmd: `sed -n '${line},${line + limit - 1}p' ${file}` } };
}
