import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { s3StandIn } from "../../../test/support/fleet/s3-stand-in.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openArtifactStore } from "./artifact-store.ts";
import { redactPatch } from "./gather-artifacts.ts";
import { S3Artifacts } from "./s3-artifacts.ts";

describe("artifacts in a folder", () => {
  it("are whole, and replace those of an earlier attempt", async () => {
    await using folder = temporaryFolder();
    const store = await openArtifactStore(join(folder.path, "kept"));
    writeFileSync(join(folder.path, "a"), "one");
    await store.put("fleet/run/1", folder.path, ["a"]);
    writeFileSync(join(folder.path, "a"), "two");
    const address = await store.put("fleet/run/1", folder.path, ["a"]);
    expect(address).toBe(join(folder.path, "kept/fleet/run/1"));
    expect(readFileSync(join(address, "a"), "utf8")).toBe("two");
    expect(readdirSync(join(folder.path, "kept/fleet/run"))).toEqual(["1"]);
  });

  it("refuse a relative folder", async () => {
    await expect(openArtifactStore("artifacts")).rejects.toMatchObject({ code: "invalid-input" });
  });
});

describe("artifacts in S3 (a stand-in on loopback that checks every signature)", () => {
  const secret = "the/secret+key";
  const variables = (url: string) => ({
    ...{ AWS_ACCESS_KEY_ID: "id", AWS_SECRET_ACCESS_KEY: secret, AWS_REGION: "eu-central-1" },
    AWS_ENDPOINT_URL_S3: `${url}/`,
  });

  it("are stored under the prefix and read again, after failures of the server", {
    tags: "slow",
  }, async () => {
    await using folder = temporaryFolder();
    await using server = await s3StandIn({ secret, failures: [503, 500] });
    const store = new S3Artifacts("s3://bucket/some prefix/", variables(server.url));
    writeFileSync(join(folder.path, "patch.diff"), "+ü\n");
    const address = await store.put("fleet/run~1/2", folder.path, ["patch.diff"]);
    expect(address).toBe("s3://bucket/some prefix/fleet/run~1/2");
    expect([...server.objects.keys()]).toEqual(["/bucket/some prefix/fleet/run~1/2/patch.diff"]);
    expect(String(await store.read(address, "patch.diff"))).toBe("+ü\n");
    expect(server.statuses).toEqual([503, 500, 200, 200]);
  });

  it("are refused with a wrong key, without retries", async () => {
    await using folder = temporaryFolder();
    await using server = await s3StandIn({ secret: "another" });
    const store = await openArtifactStore("s3://bucket", variables(server.url));
    writeFileSync(join(folder.path, "a"), "one");
    await expect(store.put("key", folder.path, ["a"])).rejects.toThrow("status 403");
    expect(server.statuses).toEqual([403]);
  });

  it("are not read without end, and not from another address", async () => {
    const filled = Buffer.alloc(64 * 1024);
    let elsewhere = 0;
    const server = createServer((request, response) => {
      if (request.url?.endsWith("/elsewhere")) elsewhere += 1;
      if (request.url?.endsWith("/moved")) {
        response.writeHead(307, { location: "/elsewhere" }).end();
        return;
      }
      const write = () => {
        while (response.write(filled));
      };
      response.on("drain", write);
      write();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    try {
      const { port } = server.address() as AddressInfo;
      const store = new S3Artifacts("s3://bucket", variables(`http://127.0.0.1:${port}`), 1024 * 1024);
      await expect(store.read("s3://bucket/run", "endless")).rejects.toMatchObject({ code: "too-large" });
      await expect(store.read("s3://bucket/run", "moved")).rejects.toThrow("status 307");
      expect(elsewhere).toBe(0);
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it("need credentials in the environment", async () => {
    await expect(openArtifactStore("s3://bucket", {})).rejects.toThrow(
      "No credentials for s3://bucket are set.",
    );
    await expect(openArtifactStore("s3:///", {})).rejects.toMatchObject({ code: "invalid-input" });
  });
});

describe("redactPatch", () => {
  it("redacts added lines only, and keeps their number", () => {
    const key = `ghp_${"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"}`;
    const patch = `--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@\n ${key}\n-${key}\n+${key}\n+plain\n`;
    const redacted = redactPatch(patch);
    const lines = redacted.split("\n");
    expect(lines.length).toBe(patch.split("\n").length);
    expect(lines.filter((line) => line.includes(key))).toEqual([` ${key}`, `-${key}`]);
    expect(lines.at(-2)).toBe("+plain");
  });

  it("redacts a file of many lines", () => {
    const key = `ghp_${"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"}`;
    const patch = `--- /dev/null\n+++ b/x\n@@ -0,0 +1,300000 @@\n${"+x\n".repeat(299_999)}+${key}\n`;
    const redacted = redactPatch(patch);
    expect([redacted.split("\n").length, redacted.includes(key)]).toEqual([patch.split("\n").length, false]);
  });

  it("redacts an added line that looks like the name of a file", () => {
    const key = `ghp_${"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"}`;
    const patch = `--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n old\n+++ ${key}\ndiff --git a/y b/y\n--- a/y\n+++ b/y\n@@ -0,0 +1 @@\n+++ ${key}\n`;
    const redacted = redactPatch(patch);
    expect([redacted.includes(key), redacted.split("\n").length]).toEqual([false, patch.split("\n").length]);
    expect(redacted).toContain("\n+++ b/y\n@@ -0,0 +1 @@\n+++ ");
  });
});
