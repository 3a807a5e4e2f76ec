import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTestNetwork } from "../../../../test/support/network/inside.ts";
import { type Listening, listening } from "../../../../test/support/network/proxy-lab.ts";
import { temporaryFolder } from "../../../../test/support/temporary-folder.ts";

const mayConnect = (host: string) => host.endsWith(".example") || host === "127.0.0.1";
const isThere = (...words: readonly string[]) => spawnSync(words[0]!, words.slice(1)).status === 0;
const canEnter = isThere("bwrap", "--version") && isThere("perl", "-e", "1");

describe.skipIf(!canEnter)("tool chains in a private network (with bubblewrap and perl)", () => {
  it.skipIf(!isThere("npm", "--version"))(
    "npm installs a package from a registry (with npm)",
    { tags: "slow" },
    async () => {
      await using folder = temporaryFolder();
      const packed = packageIn(folder.path);
      // Without it, npm takes a project in a parent folder for its own.
      writeFileSync(join(folder.path, "package.json"), "{}");
      await using registry = await serve((path, port) =>
        path === "/tiny"
          ? JSON.stringify({
              name: "tiny",
              "dist-tags": { latest: "1.0.0" },
              versions: {
                "1.0.0": {
                  name: "tiny",
                  version: "1.0.0",
                  dist: { tarball: `http://registry.example:${port}/tiny.tgz` },
                },
              },
            })
          : packed,
      );
      await using lab = openTestNetwork();
      const inside = await lab.start(
        [
          ...[
            "npm",
            "install",
            "--silent",
            "--no-audit",
            "--no-fund",
            "--cache",
            "cache",
            "--fetch-retries=0",
          ],
          ...[`--registry=http://registry.example:${registry.port}/`, "tiny"],
        ],
        { mayConnect, cwd: folder.path },
      );
      expect(await inside.ended).toEqual({ code: 0, stdout: expect.any(String), stderr: "", remarks: [] });
      expect(readFileSync(join(folder.path, "node_modules/tiny/index.js"), "utf8")).toBe(
        "module.exports = 1;\n",
      );
    },
  );

  it("git clones a repository", async () => {
    await using folder = temporaryFolder();
    const git = (...args: readonly string[]) =>
      execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b.example", ...args], {
        cwd: folder.path,
        env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null" },
        stdio: ["ignore", "ignore", "ignore"],
      });
    git("init", "origin");
    writeFileSync(join(folder.path, "origin/file"), "content\n");
    git("-C", "origin", "add", ".");
    git("-C", "origin", "commit", "-m", "First");
    git("-C", "origin", "update-server-info");
    await using server = await serve((path) => fileAt(join(folder.path, "origin/.git", path)));
    await using lab = openTestNetwork();
    const inside = await lab.start(
      ["git", "clone", "--quiet", `http://git.example:${server.port}/`, "clone"],
      {
        mayConnect,
        cwd: folder.path,
        env: { GIT_TERMINAL_PROMPT: "0" },
      },
    );
    expect(await inside.ended).toEqual({ code: 0, stdout: "", stderr: "", remarks: [] });
    expect(readFileSync(join(folder.path, "clone/file"), "utf8")).toBe("content\n");
  });

  it.skipIf(!isThere("python3", "-m", "pip", "--version"))(
    "pip downloads a wheel (with pip)",
    { tags: "slow" },
    async () => {
      await using folder = temporaryFolder();
      const name = "tiny-1.0-py3-none-any.whl";
      execFileSync("python3", ["-c", makeWheel, join(folder.path, name)]);
      const wheel = readFileSync(join(folder.path, name));
      await using index = await serve((path) =>
        path.endsWith(".whl") ? wheel : `<a href="/${name}">${name}</a>`,
      );
      await using lab = openTestNetwork();
      const inside = await lab.start(
        [
          ...["python3", "-m", "pip", "download", "--quiet", "--no-deps", "--no-cache-dir", "--retries=0"],
          ...["--disable-pip-version-check", "--trusted-host=index.example", "--dest=got"],
          ...[`--index-url=http://index.example:${index.port}/simple`, "tiny"],
        ],
        { mayConnect, cwd: folder.path, env: { PIP_ROOT_USER_ACTION: "ignore" } },
      );
      expect(await inside.ended).toEqual({ code: 0, stdout: "", stderr: "", remarks: [] });
      expect(readFileSync(join(folder.path, "got", name))).toEqual(wheel);
    },
  );
});

/** Serves what `answer` returns for a path, or 404. */
function serve(answer: (path: string, port: number) => string | Buffer | undefined): Promise<Listening> {
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://any.example").pathname;
    const content = answer(path, request.socket.localPort ?? 0);
    if (content === undefined) response.writeHead(404).end();
    else
      response
        .writeHead(200, { "Content-Type": typeof content === "string" ? "text/html" : "a/b" })
        .end(content);
  });
  return listening(server);
}

function fileAt(path: string): Buffer | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readFileSync(path) : undefined;
}

function packageIn(folder: string): Buffer {
  mkdirSync(join(folder, "package"));
  writeFileSync(join(folder, "package/package.json"), '{ "name": "tiny", "version": "1.0.0" }\n');
  writeFileSync(join(folder, "package/index.js"), "module.exports = 1;\n");
  execFileSync("tar", ["czf", "tiny.tgz", "package"], { cwd: folder });
  return readFileSync(join(folder, "tiny.tgz"));
}

const makeWheel = `
import sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w") as wheel:
    wheel.writestr("tiny/__init__.py", "")
    wheel.writestr("tiny-1.0.dist-info/METADATA", "Metadata-Version: 2.1\\nName: tiny\\nVersion: 1.0\\n")
    wheel.writestr("tiny-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
    wheel.writestr("tiny-1.0.dist-info/RECORD", "")
`;
