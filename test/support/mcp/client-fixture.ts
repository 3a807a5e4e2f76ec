import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PassThrough } from "node:stream";
import { Client, type ClientCapabilities, type ClientOptions } from "@modelcontextprotocol/client";
import { AllPendingApprovals } from "../../../src/engine/approvals/approvals.ts";
import { type ServedConnection, serveStdio } from "../../../src/mcp/server/serve-stdio.ts";
import { StdioTransport } from "../../../src/mcp/server/stdio-transport.ts";
import type { PromptOptions } from "../../../src/mcp/types.ts";
import { openToolcrib, type Toolcrib, type ToolcribOptions } from "../../../src/toolcrib/index.ts";

export const eras = ["2025-11-25", "2026-07-28"] as const;
export type Era = (typeof eras)[number];

export interface ClientFixtureOptions extends Omit<ToolcribOptions, "workspace"> {
  readonly era?: Era;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly capabilities?: ClientCapabilities;
  /** How long questions wait for their answer. */
  readonly questionSeconds?: number;
  /** A form that is declined faster was declined by the client itself. */
  readonly reflexMs?: number;
  readonly prompts?: PromptOptions;
}

export interface ClientFixture {
  readonly client: Client;
  readonly connection: ServedConnection;
  readonly workspace: string;
  /** The served instance. */
  crib(): Promise<Toolcrib>;
  /** Where the user can answer questions as well. */
  readonly desk: AllPendingApprovals;
  [Symbol.asyncDispose](): Promise<void>;
}

/** A real client of the SDK, connected to a served instance in the same process. */
export async function clientFixture(options: ClientFixtureOptions = {}): Promise<ClientFixture> {
  const { era = "2025-11-25", files = {}, capabilities = {}, ...others } = options;
  const { questionSeconds, reflexMs, prompts, ...toolcrib } = others;
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "toolcrib mcp "));
  const workspace = join(folder, "work");
  mkdirSync(workspace);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(workspace, path)), { recursive: true });
    writeFileSync(join(workspace, path), content);
  }
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const opened = Promise.withResolvers<Toolcrib>();
  const connection = serveStdio({
    input: toServer,
    output: toClient,
    serverInfo: { name: "toolcrib", title: "Toolcrib", version: "1.2.3" },
    instructions: "Be exact.",
    prompts,
    questionSeconds,
    reflexMs,
    open: async () => {
      const crib = await openToolcrib({
        workspace,
        stateDirectory: join(folder, "state"),
        configDirectory: join(folder, "config"),
        ...toolcrib,
      });
      opened.resolve(crib);
      return crib;
    },
  });
  const client = new Client({ name: "trial", version: "1" }, clientOptions(era, capabilities));
  await client.connect(new StdioTransport({ input: toClient, output: toServer }));
  return {
    client,
    connection,
    workspace,
    crib: () => opened.promise,
    desk: new AllPendingApprovals({ state: join(folder, "state"), config: join(folder, "config") }),
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await connection.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function clientOptions(era: Era, capabilities: ClientCapabilities = {}): ClientOptions {
  return era === "2026-07-28"
    ? { capabilities, versionNegotiation: { mode: { pin: era } } }
    : { capabilities };
}

/** Returns a result without the fields that the later era adds to all results. */
export function resultOf<Result extends { _meta?: unknown }>({
  _meta,
  ...result
}: Result): Omit<Result, "_meta"> {
  return result;
}
