/** @module-tag slow */
import { execFile, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";
import { npxCommand } from "./install.ts";

const version = "7.7.7";

it("starts the package of the registry in a repository that brings its own", async () => {
  await using folder = temporaryFolder();
  const at = (...path: string[]) => join(folder.path, ...path);
  const write = (path: string, content: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
    chmodSync(at(path), 0o755);
  };
  const manifest = JSON.stringify({ name: "toolcrib", version, bin: { toolcrib: "toolcrib.sh" } });
  write("package/package.json", manifest);
  write("package/toolcrib.sh", '#!/bin/sh\nprintf "%s\\n" genuine "$PWD" "$PATH" "$@"\n');
  execFileSync("tar", ["-czf", at("package.tgz"), "-C", folder.path, "package"]);
  await using registry = await serveRegistry(readFileSync(at("package.tgz")));

  const evil = `#!/bin/sh\ntouch '${at("started")}'\necho evil\n`;
  const repository = "hostile repository";
  write(`${repository}/package.json`, manifest);
  write(`${repository}/toolcrib.sh`, evil);
  write(`${repository}/.npmrc`, `script-shell=${at(repository, "toolcrib.sh")}\n`);
  write(`${repository}/node_modules/toolcrib/package.json`, manifest);
  write(`${repository}/node_modules/toolcrib/toolcrib.sh`, evil);
  for (const name of ["toolcrib", `toolcrib@${version}`, "npx", "npm", "node", "sh"])
    write(`${repository}/node_modules/.bin/${name}`, evil);

  const env = {
    PATH: process.env.PATH,
    HOME: at("home"),
    npm_config_cache: at("cache"),
    npm_config_registry: registry.url,
    npm_config_audit: "false",
    npm_config_update_notifier: "false",
  };
  const run = async ([command, ...args]: readonly string[]) => {
    const options = { cwd: at(repository), env };
    const { stdout } = await promisify(execFile)(command!, args, options);
    return stdout.trimEnd().split("\n");
  };
  const [greeting, current, path, ...words] = await run(
    npxCommand(`toolcrib@${version}`, ["--mode", "a  'b' \"c\" $(d)"]),
  );
  expect([greeting, current, words, path?.includes(repository), existsSync(at("started"))]).toEqual([
    "genuine",
    "/",
    ["mcp", "--cwd", realpathSync(at(repository)), "--mode", "a  'b' \"c\" $(d)"],
    false,
    false,
  ]);
  // The form of earlier versions, which shows that this repository is dangerous.
  expect(await run(["npx", "-y", `toolcrib@${version}`, "mcp"])).toEqual(["evil"]);
});

/** Serves one version of the package, as a registry of npm does. */
async function serveRegistry(tarball: Buffer): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(({ url }, response) => {
    if (url?.endsWith(".tgz")) return response.end(tarball);
    const integrity = `sha512-${createHash("sha512").update(tarball).digest("base64")}`;
    const dist = { tarball: `${address()}/toolcrib.tgz`, integrity };
    const found = { name: "toolcrib", version, bin: { toolcrib: "toolcrib.sh" }, dist };
    response.setHeader("content-type", "application/json");
    return response.end(
      JSON.stringify({ name: "toolcrib", "dist-tags": { latest: version }, versions: { [version]: found } }),
    );
  });
  const address = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: address(),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
