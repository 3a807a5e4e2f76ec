import { mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { pathToFileURL } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { expect, it, vi } from "vitest";
import { clientOptions, type Era } from "../../../test/support/mcp/client-fixture.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import type { ChooseRoot } from "./client-roots.ts";
import { serveStdio } from "./serve-stdio.ts";
import { StdioTransport } from "./stdio-transport.ts";

interface RootsOptions {
  readonly era?: Era;
  readonly chooseRoot?: ChooseRoot;
  readonly capabilities?: { readonly roots?: { readonly listChanged?: boolean } };
}

/** Folders with a file each, and a client that has some of them as roots. */
async function rootsFixture({ era = "2025-11-25", ...options }: RootsOptions) {
  const { chooseRoot = ([first]) => first, capabilities = { roots: { listChanged: true } } } = options;
  const folder = temporaryFolder();
  const path = realpathSync(folder.path);
  const at = (name: string) => join(path, name);
  for (const name of ["start", "one", "two 2"]) {
    mkdirSync(at(name));
    writeFileSync(join(at(name), "name.txt"), name);
  }
  const [toServer, toClient] = [new PassThrough(), new PassThrough()];
  const opened: (string | undefined)[] = [];
  const connection = serveStdio({
    input: toServer,
    output: toClient,
    chooseRoot,
    open: (root) => {
      opened.push(root);
      return openToolcrib({
        workspace: root ?? at("start"),
        stateDirectory: at("state"),
        configDirectory: at("config"),
      });
    },
  });
  const client = new Client({ name: "trial", version: "1" }, clientOptions(era, capabilities));
  const roots: { uri: string }[] = [];
  let asked = 0;
  if (capabilities.roots !== undefined)
    client.setRequestHandler("roots/list", () => {
      asked += 1;
      return { roots };
    });
  const connect = () => client.connect(new StdioTransport({ input: toClient, output: toServer }));
  const read = async () => {
    const { content } = await client.callTool({ name: "file_read", arguments: { path: "name.txt" } });
    return (content as { text: string }[])[0]!.text;
  };
  return {
    ...{ client, at, opened, connect, read },
    get asked() {
      return asked;
    },
    set: (...uris: string[]) => {
      roots.splice(0, roots.length, ...uris.map((uri) => ({ uri })));
    },
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await connection.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

it("opens the instance in the chosen root, tells the model, and follows changes", async () => {
  await using fixture = await rootsFixture({});
  const { client, at, set } = fixture;
  set(pathToFileURL(at("one")).href);
  await fixture.connect();
  const listChanged = vi.fn();
  client.setNotificationHandler("notifications/tools/list_changed", listChanged);
  expect([await fixture.read(), await fixture.read()]).toEqual([
    `1 | one\n\nThe workspace is ${at("one")}.`,
    "1 | one",
  ]);
  set(pathToFileURL(at("two 2")).href);
  await client.sendRootsListChanged();
  await vi.waitFor(() => expect(listChanged).toHaveBeenCalled(), { timeout: 60_000 });
  expect(await fixture.read()).toBe(`1 | two 2\n\nThe workspace is ${at("two 2")}.`);
  // The same roots again change nothing.
  await client.sendRootsListChanged();
  await vi.waitFor(() => expect(fixture.asked).toBe(3), { timeout: 60_000 });
  await client.ping();
  expect(fixture.opened).toEqual([at("one"), at("two 2")]);
});

it("offers only folders of this machine to choose from", async () => {
  const offered: (readonly string[])[] = [];
  const chooseRoot: ChooseRoot = (roots) => {
    offered.push(roots);
    return undefined;
  };
  await using fixture = await rootsFixture({ chooseRoot });
  const bad = ["file://evil.example/tmp", "file:///a%00b", "file:///a%2Fb"];
  fixture.set(...bad, "file:///tmp/a%20b", ...Array.from({ length: 500 }, (_, count) => `file:///${count}`));
  await fixture.connect();
  expect(await fixture.read()).toBe("1 | start");
  expect(offered[0]!.slice(0, 2)).toEqual(["/tmp/a b", "/0"]);
  expect(offered[0]!.length).toBeLessThanOrEqual(100);
});

it("asks neither clients without roots, nor those of the 2026 era", async () => {
  await using without = await rootsFixture({ capabilities: {} });
  await using later = await rootsFixture({ era: "2026-07-28" });
  later.set(pathToFileURL(later.at("one")).href);
  for (const fixture of [without, later]) {
    await fixture.connect();
    expect([await fixture.read(), fixture.asked, fixture.opened]).toEqual(["1 | start", 0, [undefined]]);
  }
});
