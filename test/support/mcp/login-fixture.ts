import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { ToolOutput } from "../../../src/contract/tool.ts";
import { connectHub, type Hub } from "../../../src/mcp/hub/connect-hub.ts";
import { logIn } from "../../../src/mcp/hub/oauth/log-in.ts";
import { type Login, LoginStore } from "../../../src/mcp/hub/oauth/login-store.ts";
import { readSettings, type ServerConfiguration } from "../../../src/mcp/hub/settings/read-settings.ts";
import { openToolcrib, type Toolcrib } from "../../../src/toolcrib/index.ts";
import { temporaryFolder } from "../temporary-folder.ts";
import {
  consent,
  type ProtectedServer,
  type ProtectedServerOptions,
  protectedServer,
} from "./authorization-server.ts";

export interface LoginFixture extends AsyncDisposable {
  readonly server: ProtectedServer;
  readonly store: LoginStore;
  readonly folder: string;
  readonly stateDirectory: string;
  readonly workspace: string;
  /** The settings of the server, with changes. */
  configured(more?: ServerConfiguration): ServerConfiguration;
  /** Logs a user in, who consents unless `browser` does something else. */
  login(more?: ServerConfiguration, name?: string, browser?: (address: URL) => unknown): Promise<Login>;
  /** Opens a hub with the server under the name `one`, or with other servers. */
  openHub(servers?: Readonly<Record<string, ServerConfiguration>>): Promise<Hub>;
  /** Opens an instance in the workspace that allows every call of the hub. */
  openInstance(hub: Hub): Promise<Toolcrib>;
}

/** A server that demands a login, and a workspace without logins. */
export async function loginFixture(options: ProtectedServerOptions = {}): Promise<LoginFixture> {
  const folder = temporaryFolder();
  const server = await protectedServer(options);
  const stateDirectory = join(folder.path, "state");
  const store = new LoginStore(stateDirectory);
  const workspace = join(folder.path, "work");
  mkdirSync(workspace);
  const configured = (more: ServerConfiguration = {}): ServerConfiguration => ({
    url: server.url,
    protocol: "2025",
    ...more,
  });
  const login = (more?: ServerConfiguration, name = "one", browser: (address: URL) => unknown = consent) => {
    const settings = readSettings(name, configured(more), { workspace, variables: {} });
    if (settings === "disabled") throw new Error("It is not");
    const onAddress = async (address: URL) => void (await browser(address));
    return logIn(settings, { store, onAddress, signal: AbortSignal.timeout(60_000) });
  };
  const openHub = async (servers: Readonly<Record<string, ServerConfiguration>> = { one: configured() }) => {
    const hub = connectHub({ workspace, servers, stateDirectory });
    await hub.ready;
    return hub;
  };
  const openInstance = (hub: Hub) =>
    openToolcrib({
      workspace,
      sources: [hub],
      mode: "yolo",
      stateDirectory,
      configDirectory: join(folder.path, "config"),
    });
  return {
    server,
    store,
    folder: folder.path,
    stateDirectory,
    workspace,
    login,
    openHub,
    openInstance,
    configured,
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]();
      await folder[Symbol.asyncDispose]();
    },
  };
}

/** Calls the first tool of a hub. */
export function callFirst(hub: Hub): Promise<ToolOutput<unknown>> {
  const context = { signal: AbortSignal.timeout(60_000), progress: () => {}, uncovered: () => {} };
  return hub.tools[0]!.run({}, context as never);
}
