import { type ChildProcess, spawn } from "node:child_process";
import { subscribe } from "node:diagnostics_channel";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import type { ProviderServer, ScriptedReply, SeenRequest } from "../../test/providers/provider-server.ts";
import { startProvider } from "../../test/providers/start-provider.ts";
import { workDirectory } from "../data/data.ts";
import { type Client, clients } from "./clients.ts";
import { project } from "./project.ts";

/** A client and its provider, which answers at once. All times are measured at the provider. */
export class Stage {
  readonly #name: string;
  readonly #client: Client;
  readonly #server: ProviderServer;
  readonly #script: StageScript;
  #repliedAt = 0;
  #asked = 0;

  static async open(name: string, script: StageScript): Promise<Stage> {
    const client = clients[name];
    if (!client) throw new Error(`There is no client "${name}".`);
    const stages: Stage[] = [];
    const reply = (request: SeenRequest) => stages[0]!.#reply(request);
    const server = await startProvider(client.kind, reply, { strict: false, chunks: "whole" });
    stages.push(new Stage(name, client, server, script));
    return stages[0]!;
  }

  private constructor(name: string, client: Client, server: ProviderServer, script: StageScript) {
    this.#name = name;
    this.#client = client;
    this.#server = server;
    this.#script = script;
    subscribe("http.server.response.finish", (message) => {
      if (this.#rounds.has((message as Exchange).request.headers)) this.#repliedAt = performance.now();
    });
  }

  /** Starts the client. Its output is dropped, and its errors go into a file. */
  start(): Started {
    this.#asked = 0;
    const home = join(workDirectory, "agent", "homes", this.#name.replaceAll(/\W+/g, "-"));
    mkdirSync(home, { recursive: true });
    const model = this.#server.model.slice(this.#server.model.indexOf("/") + 1);
    const { program, words, variables } = this.#client.start({ url: this.#server.url, model }, home);
    const errorFile = join(home, "said.txt");
    const complaints = openSync(errorFile, "w");
    const startedAt = performance.now();
    const child = spawn(program, words, {
      cwd: project.folder,
      // Some clients use PWD instead of the real working directory.
      env: { ...process.env, PWD: project.folder, ...variables },
      // Output goes to a file, so that no process wakes up for it.
      stdio: ["ignore", "ignore", complaints],
    });
    closeSync(complaints);
    const ended = new Promise<void>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", (code) => {
        if (code === 0) resolve();
        else reject(new Error(`${program} ended with ${code}: ${lastOf(errorFile)}`));
      });
    });
    return { child, startedAt, ended };
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  readonly #rounds = new WeakSet<object>();

  #reply(request: SeenRequest): ScriptedReply {
    // Some clients let the same or another model write a title.
    if (request.tools.length === 0) return { text: "Lines" };
    this.#rounds.add(request.headers);
    this.#asked += 1;
    const arrivedAt = arrivals.get(request.headers) ?? performance.now();
    return this.#script({
      number: this.#asked,
      arrivedAt,
      gapMs: arrivedAt - this.#repliedAt,
      size: Number(request.headers["content-length"] ?? 0),
    });
  }
}

function lastOf(file: string): string {
  return readFileSync(file, "utf8").slice(-1_000).trim();
}

type StageScript = (moment: Moment) => ScriptedReply;

/** The request of one round. */
export interface Moment {
  /** Counts from 1. */
  readonly number: number;
  readonly arrivedAt: number;
  /** The time since the previous reply was sent. */
  readonly gapMs: number;
  readonly size: number;
}

export interface Started {
  readonly child: ChildProcess;
  readonly startedAt: number;
  /** Rejects when the client fails. */
  readonly ended: Promise<void>;
}

interface Exchange {
  readonly request: IncomingMessage;
}

const arrivals = new WeakMap<object, number>();
subscribe("http.server.request.start", (message) => {
  arrivals.set((message as Exchange).request.headers, performance.now());
});
