import { once } from "node:events";
import { Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import {
  type ClientContext,
  client,
  methods,
  ndJsonStream,
  type PromptResponse,
  type RequestPermissionRequest,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import type { CliWorkspace } from "./cli-workspace.ts";

/** An editor, built on the SDK's client, and `toolcrib acp` in a separate process. */
export interface AcpClient extends AsyncDisposable {
  readonly agent: ClientContext;
  readonly pid: number;
  /** The updates so far, oldest first. */
  readonly updates: readonly SessionUpdate[];
  readonly permissions: readonly RequestPermissionRequest[];
  /** Sends a text, and resolves with the end of the turn. */
  prompt(sessionId: string, text: string): Promise<PromptResponse>;
  /** Resolves when an update matches, also one that has come before. */
  until(matches: (update: SessionUpdate) => boolean): Promise<SessionUpdate>;
  /** Drops the updates and permissions so far. */
  forget(): void;
  /** Ends the process like an editor that exits. Resolves with its exit code and its log. */
  leave(): Promise<{ readonly exit: number | null; readonly log: string }>;
  kill(): void;
}

interface AcpClientOptions {
  readonly words?: readonly string[];
  /** The id of the option to choose; undefined for an answer of `cancelled`. */
  readonly answer?: (request: RequestPermissionRequest) => Promise<string | undefined> | string | undefined;
}

/** Use with `await using`. */
export async function acpClient(
  fixture: CliWorkspace,
  { words = [], answer = () => "once" }: AcpClientOptions = {},
): Promise<AcpClient> {
  const child = fixture.start("acp", ...words);
  const log = text(child.stderr);
  const exited = once(child, "exit");
  child.stdin.on("error", () => {});
  const updates: SessionUpdate[] = [];
  const permissions: RequestPermissionRequest[] = [];
  const waiting = new Set<() => void>();
  const connection = client({ name: "test-editor" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params.update);
      for (const look of waiting) look();
    })
    .onRequest(methods.client.session.requestPermission, async ({ params }) => {
      permissions.push(params);
      const optionId = await answer(params);
      return {
        outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId },
      };
    })
    .connect(
      ndJsonStream(Writable.toWeb(child.stdin), Readable.toWeb(child.stdout) as ReadableStream<Uint8Array>),
    );
  const { agent } = connection;
  await agent.request(methods.agent.initialize, { protocolVersion: 1, clientCapabilities: {} });
  const leave = async () => {
    child.stdin.end();
    const [exit] = await exited;
    return { exit, log: await log };
  };
  return {
    agent,
    pid: child.pid!,
    updates,
    permissions,
    forget: () => {
      updates.length = permissions.length = 0;
    },
    prompt: (sessionId, words) =>
      agent.request(methods.agent.session.prompt, { sessionId, prompt: [{ type: "text", text: words }] }),
    until: (matches) =>
      new Promise((resolve) => {
        const look = () => {
          const found = updates.find(matches);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
    leave,
    kill: () => void child.kill("SIGKILL"),
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGTERM");
      await exited;
    },
  };
}

/** The text of all updates of one kind, joined. */
export function textOf(
  updates: readonly SessionUpdate[],
  kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
): string {
  return updates
    .map((update) =>
      update.sessionUpdate === kind && update.content.type === "text" ? update.content.text : "",
    )
    .join("");
}
