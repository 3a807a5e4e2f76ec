/** @module-tag slow */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { ScriptedReply, SeenRequest } from "../../../test/providers/provider-server.ts";
import { bundledProgram } from "../../../test/support/bundled-program.ts";
import {
  leases,
  shell,
  type WorkerFixture,
  workerFixture,
} from "../../../test/support/fleet/worker-fixture.ts";
import {
  type PodmanImage,
  podmanImage,
  podmanMissing,
} from "../../../test/support/remote/podman-container.ts";
import { sshMissing, sshServer } from "../../../test/support/remote/ssh-server.ts";

const program = await bundledProgram(
  new URL("../../../test/support/fleet/killed-worker-program.ts", import.meta.url),
);

afterEach(() => void vi.unstubAllEnvs());

describe.skipIf(podmanMissing !== undefined)(`a run in an image${because(podmanMissing)}`, () => {
  let podman: PodmanImage;
  beforeAll(() => {
    podman = podmanImage();
  });
  beforeEach(() => {
    for (const [name, value] of Object.entries(podman.variables)) vi.stubEnv(name, value);
  });
  afterAll(() => podman[Symbol.asyncDispose]());

  it("is solved in a container with its workspace, which is then removed", async () => {
    await using fixture = await workerFixture(doing("pwd > a.txt; cat set-up.txt >> a.txt"));
    const run = await fixture.run(
      {
        ...{ target: `image:${podman.image}`, setup: "echo new > set-up.txt" },
        check: { command: "bash check.sh", files: { "check.sh": "grep -q new a.txt\n" }, minutes: 1 },
      },
      allowed,
    );
    expect([run.outcome, run.reason]).toEqual(["solved", "The check passed."]);
    const patch = readFileSync(join(run.result!.artifacts!, "patch.diff"), "utf8");
    expect(patch).toContain("-old\n+/workspace\n+new\n");
    expect(podman.containers()).toEqual([]);
  });

  it("stops its container while it is parked and when its worker drains, and continues there with what was installed", async () => {
    let isRefusing = true;
    const { promise: mayAnswer, resolve: letAnswer } = Promise.withResolvers<void>();
    await using fixture = await workerFixture(async (request) => {
      if (isRefusing) return { fault: { status: 429, retryAfter: "3" } };
      await mayAnswer;
      return careful(
        "pwd > a.txt; cat /root/installed >> a.txt; echo begun > /root/begun",
        "mv /root/begun begun.txt; sleep 1000 > /dev/null &",
      )(request);
    });
    const setup = "echo new > /root/installed && echo set-up >> set-up.txt";
    const checked = "grep -q new a.txt && test -f begun.txt && test $(wc -l < set-up.txt) = 1\n";
    const id = await fixture.submit({
      ...{ target: `image:${podman.image}`, setup },
      check: { command: "bash check.sh", files: { "check.sh": checked }, minutes: 1 },
    });
    const stopped = [expect.stringMatching(/^toolcrib-\w{12}-run_\w+ Exited/)];
    // The sandbox of the worker also counts in a container, where it would protect everything but the workspace.
    const options = { ...allowed, sandbox: "none" } as const;
    const first = await fixture.start(options);
    await vi.waitUntil(async () => (await fixture.store.run(id))?.state === "parked", waiting);
    await first.stop({ graceMs: 0 });
    expect(podman.containers()).toEqual(stopped);
    isRefusing = false;
    const seen = fixture.server.requests.length;
    const second = await fixture.start(options);
    await vi.waitUntil(() => fixture.server.requests.length > seen, waiting);
    const drained = second.stop({ graceMs: 600_000 });
    letAnswer();
    await drained;
    const released = await fixture.store.run(id);
    expect([released?.state, released?.deliveries, podman.containers()]).toEqual(["waiting", 0, stopped]);
    await fixture.start(options);
    const run = await fixture.ended(id);
    expect([run.outcome, run.reason, run.result?.calls]).toEqual(["solved", "The check passed.", 2]);
    const patch = readFileSync(join(run.result!.artifacts!, "patch.diff"), "utf8");
    expect(patch).toContain("-old\n+/workspace\n+new\n");
    await vi.waitUntil(() => podman.containers().length === 0, waitingForProgram);
  });

  it("continues after kill -9 of its worker without the processes of that worker; a cancelled one leaves nothing", async () => {
    const commands = [
      "echo ran >> ran.txt; while :; do date > ticks.txt; sleep 0.1; done",
      "rm ticks.txt; sleep 1000",
    ];
    await using fixture = await workerFixture(careful(...commands));
    const id = await fixture.submit({ target: `image:${podman.image}` });
    const folder = await fixture.folderOf(id);
    const file = (name: string) => join(folder, "workspace", name);
    await using child = await startChild(fixture);
    await vi.waitUntil(() => existsSync(file("ticks.txt")), waiting);
    await child.kill();
    await fixture.start(allowed);
    await vi.waitUntil(() => fixture.server.requests.length === 2, waiting);
    await vi.waitUntil(() => !existsSync(file("ticks.txt")), waiting);
    // A process of the killed worker would write the file again within a tenth of a second.
    await pause(2_000);
    expect(existsSync(file("ticks.txt"))).toBe(false);
    expect(readFileSync(file("ran.txt"), "utf8")).toBe("ran\n");
    await fixture.store.cancel({ fleet: "trial" });
    const run = await fixture.ended(id);
    expect([run.outcome, run.deliveries]).toEqual(["cancelled", 2]);
    await vi.waitUntil(() => podman.containers().length === 0, waitingForProgram);
  });
});

describe.skipIf(sshMissing !== undefined)(`a run on an ssh target${because(sshMissing)}`, () => {
  it("is solved in a folder of its own there, without a patch, and refuses files of the check", async () => {
    await using server = sshServer();
    vi.stubEnv("PATH", server.env.PATH!);
    await using fixture = await workerFixture(doing("pwd > where.txt; cat set-up.txt > a.txt"));
    const spec = {
      repository: null,
      target: `ssh:test-host:${server.workspace}/{run}`,
      setup: "echo new > set-up.txt",
    };
    const options = { allowTargets: ["ssh:test-host:**"] };
    const run = await fixture.run({ ...spec, keepWorkspace: "always" }, options);
    expect([run.outcome, run.reason, run.result?.patch]).toEqual(["solved", "The check passed.", null]);
    const folder = join(server.workspace, basename(await fixture.folderOf(run.id)));
    expect(readFileSync(join(folder, "where.txt"), "utf8")).toBe(`${folder}\n`);
    const check = { command: "true", files: { "check.sh": "" }, minutes: 1 };
    const withFiles = await fixture.run({ ...spec, check }, options);
    expect([withFiles.outcome, withFiles.reason]).toEqual([
      "infrastructure",
      expect.stringContaining("Files of the check cannot be written on the target ssh:test-host:"),
    ]);
    const failed = await fixture.run({ ...spec, setup: "exit 3" }, options);
    expect(failed.reason).toMatch(/^The set-up command failed/);
    // Without keepWorkspace, the folder is removed.
    expect(readdirSync(server.workspace)).toEqual([basename(folder)]);
    await vi.waitUntil(() => server.clients().length === 0, waitingForProgram);
  });
});

const waiting = { timeout: 60_000, interval: 50 };
/** Each look starts a program. */
const waitingForProgram = { timeout: 60_000, interval: 1_000 };
const allowed = { allowTargets: ["image:**"] };

function because(missing: string | undefined): string {
  return missing === undefined ? "" : `: skipped, ${missing}`;
}

/** A model that runs one command, then says that it is done. */
function doing(command: string): (request: SeenRequest) => ScriptedReply {
  return careful(command);
}

/** A model that runs commands in turn, and never repeats one that may have run. */
function careful(...commands: readonly string[]): (request: SeenRequest) => ScriptedReply {
  return ({ messages }) => {
    const command = commands[messages.filter(({ role }) => role === "tool").length];
    return command === undefined ? { text: "Done." } : shell(command);
  };
}

async function startChild({ folder, options }: WorkerFixture) {
  const settings = { folder, options: { ...options, ...allowed }, leases, graceMs: 0 };
  const child = spawn(process.execPath, [program, JSON.stringify(settings)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = once(child, "exit");
  await once(child.stdout, "data");
  const kill = async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill("SIGKILL");
    await exit;
  };
  return { kill, [Symbol.asyncDispose]: kill };
}
