import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { missingHere } from "../../test/support/sandbox-fixture.ts";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";

const block = (label: string, text = "MIIBIjANBgkq") =>
  `-----BEGIN ${label}-----\n${text}\n-----END ${label}-----\n`;
const certificate = block("CERTIFICATE");

const missing = await missingHere("bwrap");

/** A workspace with public files whose names look secret, and with secrets. */
async function openWorkspace() {
  const opened = await temporaryToolcrib({ mode: "yolo" });
  const { at, crib } = opened;
  const put = (path: string, content: string) => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), content);
  };
  return {
    ...{ put, at, crib },
    /** The paths that a tool can read. */
    read: async (paths: readonly string[]) => {
      const results = await Promise.all(paths.map((path) => crib.call("file.read", { path })));
      return paths.filter((_, index) => results[index]!.error === null);
    },
    run: async (command: string) => {
      const { error, content } = await crib.call("shell.run", { command });
      return `${error?.code ?? ""}${content}`;
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

const open = {
  "venv/lib/site-packages/certifi/cacert.pem": `# Issuer: CN=Root\n${certificate.repeat(1000)}`,
  "certs/ca.pem": certificate,
  "certs/CA.PEM": certificate,
  "certs/jwt-public.pem": block("PUBLIC KEY"),
  "certs/dhparam.pem": block("DH PARAMETERS"),
  ".env.test.example": "A=1\n",
  "example.env": "A=1\n",
  "routers/shared/secrets/secrets.go": "package secrets\n",
  "ui/routes/secrets/backend/list.js": "export {};\n",
  "chart/templates/secrets.yaml": "kind: Secret\n",
  "venv/lib/secrets/__pycache__/api.pyc": "code\n",
  "venv/lib/secrets/_native.so": "code\n",
};

const secret = {
  "certs/key.pem": block("PRIVATE KEY"),
  "certs/both.pem": certificate + block("RSA PRIVATE KEY"),
  "certs/late.pem": certificate.repeat(1000) + block("EC PRIVATE KEY"),
  "certs/ca.pem.bak": certificate,
  "certs/ca.p12": certificate,
  "certs/ca.key": certificate,
  "certs/huge.pem": certificate.repeat(20_000),
  ".ssh/ca.pem": certificate,
  "secrets/ca.pem": certificate,
  "secrets/db_password": "p4ssw0rd\n",
  "ui/routes/secrets/backend/prod.json": "{}\n",
  "chart/secrets.yaml": "a: b\n",
  ".env.test": "A=1\n",
  "prod.env": "A=1\n",
};

describe("files with public keys, and source code about secrets", () => {
  it("are not secret, but the secrets next to them are", async () => {
    await using workspace = await openWorkspace();
    for (const [path, content] of Object.entries({ ...open, ...secret })) workspace.put(path, content);
    expect(await workspace.read(Object.keys({ ...open, ...secret }))).toEqual(Object.keys(open));
    const { crib } = workspace;
    expect((await crib.call("file.list", { path: "ui/routes/secrets/backend" })).content).toContain(
      "list.js",
    );
    // The directory also has secrets.
    expect((await crib.call("file.delete", { path: "ui/routes/secrets/backend" })).error?.code).toBe(
      "denied",
    );
    expect((await crib.call("file.delete", { path: "certs/ca.pem" })).error).toBeNull();
    expect((await crib.call("file.write", { path: "certs/new.pem", content: certificate })).error?.code).toBe(
      "denied",
    );
  });

  it("are decided by their content of the moment, also behind a link", async () => {
    await using workspace = await openWorkspace();
    const { put, at, read } = workspace;
    const key = block("PRIVATE KEY", "MIIBIjA");
    const same = block("CERTIFICATE", "MIIBIjA");
    put("a.pem", same);
    symlinkSync("a.pem", at("link.pem"));
    const paths = ["a.pem", "link.pem"];
    // Times that are settled and equal do not hide a change.
    const old = () => utimesSync(at("a.pem"), 1000, 1000);
    old();
    const seen = [await read(paths)];
    for (const content of [key, same, certificate + key]) {
      put("a.pem", content);
      old();
      seen.push(await read(paths));
    }
    put("key", key);
    renameSync(at("key"), at("a.pem"));
    seen.push(await read(paths));
    execFileSync("mkfifo", [at("pipe.pem")]);
    seen.push(await read(["pipe.pem", "missing.pem"]));
    expect(seen).toEqual([paths, [], paths, [], [], []]);
  });

  it.skipIf(missing !== undefined)(
    "can be read by commands, which notice a change of the content",
    { tags: "slow" },
    async () => {
      await using workspace = await openWorkspace();
      for (const [path, content] of Object.entries({ ...open, ...secret })) workspace.put(path, content);
      const all = Object.keys({ ...open, ...secret });
      workspace.put("list", all.join("\n"));
      const found = async () => {
        const text = await workspace.run(
          'sh -c \'while read f; do [ -n "$(head -c1 "$f" 2>/dev/null)" ] && echo "$f"; done < list\'; true',
        );
        return all.filter((path) => text.split("\n").includes(path));
      };
      expect(await found()).toEqual(Object.keys(open));
      workspace.put("certs/ca.pem", block("PRIVATE KEY"));
      workspace.put("certs/key.pem", certificate);
      expect(await found()).toEqual(
        all.filter((path) => (path in open ? path !== "certs/ca.pem" : path === "certs/key.pem")),
      );
    },
  );

  it.skipIf(missing !== undefined)("keep the variables of an open shell", { tags: "slow" }, async () => {
    await using workspace = await openWorkspace();
    const { crib, put } = workspace;
    const say = async (command: string) =>
      (await crib.call("shell.run", { command, session: "one" })).content;
    await say("x=kept");
    put("venv/lib/certifi/cacert.pem", certificate);
    expect(await say("echo $x; cat venv/lib/certifi/cacert.pem")).toContain(`kept\n${certificate.trim()}`);
  });
});
