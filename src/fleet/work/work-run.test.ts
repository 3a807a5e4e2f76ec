import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { SeenRequest } from "../../../test/providers/provider-server.ts";
import {
  commit,
  git,
  shell,
  type WorkerFixture,
  workerFixture,
} from "../../../test/support/fleet/worker-fixture.ts";
import { loadSqlite } from "../../system/sqlite-file.ts";
import { WorkspaceJournal } from "../../toolcrib/workspace-journal.ts";
import { openArtifactStore } from "../artifacts/artifact-store.ts";
import type { FleetStore } from "../fleet.ts";
import { databaseUnavailable } from "../store/sql-database.ts";

/** A model that runs one command, then says that it is done. */
const doing =
  (command: string) =>
  ({ messages }: SeenRequest) =>
    messages.some(({ role }) => role === "tool") ? { text: "Done." } : shell(command);

describe("a run of a worker", () => {
  it("is solved: clone, set-up, turn, patch, check, artifacts", async () => {
    await using fixture = await workerFixture(doing("cat set-up.txt > a.txt"));
    const spec = {
      setup: "echo new > set-up.txt; echo ready",
      check: {
        command: "bash tests/check.sh",
        files: { "tests/check.sh": "grep -q new a.txt\n" },
        minutes: 1,
      },
      data: { instance_id: "x-1" },
    };
    const run = await fixture.run(spec);
    expect([run.outcome, run.reason]).toEqual(["solved", "The check passed."]);
    expect(run.result).toMatchObject({
      ...{ text: "Done.", rounds: 2, calls: 1, check: { exitCode: 0 } },
      artifactNames: [
        ...["patch.diff", "session.jsonl", "session.html", "journal.sqlite", "setup.log", "result.json"],
      ].toSpliced(5, 0, "check.log"),
    });
    const { artifacts, cost } = run.result!;
    const read = (name: string) => readFileSync(join(artifacts!, name), "utf8");
    expect([cost! > 0, read("setup.log").includes("ready")]).toEqual([true, true]);
    // Files of the set-up and of the check are not part of the patch.
    expect(run.result?.patch).toEqual({ files: 1, added: 1, removed: 1 });
    writeFileSync(join(fixture.folder, "patch"), read("patch.diff"));
    git(fixture.repository, "apply", join(fixture.folder, "patch"));
    expect(readFileSync(join(fixture.repository, "a.txt"), "utf8")).toBe("new\n");
    expect(JSON.parse(read("result.json"))).toMatchObject({
      ...{ task: "task-1", outcome: "solved", data: { instance_id: "x-1" }, check: { exitCode: 0 } },
    });
    const journal = join(artifacts!, "journal.sqlite");
    const at = (name: string) => join(fixture.folder, name);
    const files = { journal, blobs: at("b"), outputs: at("o"), sandbox: at("s") };
    const opened = new WorkspaceJournal({ files: { ...files } as never });
    const report = await opened.verify({});
    expect([report.records > 3, report.fault]).toEqual([true, undefined]);
    const tools = opened.calls({}).map(({ tool }) => tool);
    expect(tools.slice(0, 3)).toEqual(["shell.run", "process.start", "shell.run"]);
    opened.close();
    expect(readdirSync(join(fixture.options.workFolder, "runs/trial"))).toEqual([]);
  });

  it("is solved in a sandbox, where there is one", { tags: "slow" }, async () => {
    await using fixture = await workerFixture(doing("echo new > a.txt"));
    const run = await fixture.run({}, { sandbox: undefined });
    expect([run.outcome, run.reason]).toEqual(["solved", "The check passed."]);
  });

  it("is unsolved when the check fails, and keeps the workspace when asked", async () => {
    await using fixture = await workerFixture(doing("echo other > a.txt"));
    const run = await fixture.run({ keepWorkspace: "unsolved" });
    expect([run.outcome, run.reason]).toEqual(["unsolved", "The check failed: exit code 1."]);
    const kept = await fixture.folderOf(run.id);
    expect([readdirSync(kept), existsSync(join(kept, "workspace/a.txt"))]).toEqual([["workspace"], true]);
  });

  it("is infrastructure when the repository, the revision or the set-up fails", async () => {
    await using fixture = await workerFixture(doing("true"));
    const runs = [
      await fixture.run({ repository: join(fixture.folder, "nowhere") }),
      await fixture.run({ revision: "no-such-branch" }),
      await fixture.run({ setup: "echo broken; exit 3" }),
    ];
    expect(runs.map(({ outcome, reason }) => [outcome, reason])).toEqual([
      ["infrastructure", expect.stringMatching(/does not exist|not appear to be a git repository/)],
      ["infrastructure", "The repository has no revision no-such-branch."],
      ["infrastructure", expect.stringMatching(/^The set-up command failed: exit code 3/)],
    ]);
    const { artifacts } = runs[2]!.result!;
    expect(readFileSync(join(artifacts!, "setup.log"), "utf8")).toContain("broken");
    expect(fixture.server.requests).toEqual([]);
  });

  it("uses an empty folder without a repository, and a revision by name or commit", {
    tags: "slow",
  }, async () => {
    await using fixture = await workerFixture(doing("echo new > a.txt"));
    const first = git(fixture.repository, "rev-parse", "HEAD");
    commit(fixture.repository, { "b.txt": "later\n" });
    const check = (command: string) => ({ command, files: {}, minutes: 1 });
    const runs = [
      await fixture.run({ repository: null }),
      await fixture.run({ revision: first, check: check("test ! -e b.txt && grep -q new a.txt") }),
      await fixture.run({ revision: "main", check: check("test -e b.txt") }),
    ];
    expect(runs.map(({ outcome, result }) => [outcome, result?.patch])).toEqual([
      ["solved", { files: 1, added: 1, removed: 0 }],
      ["solved", { files: 1, added: 1, removed: 1 }],
      ["solved", { files: 1, added: 1, removed: 1 }],
    ]);
  });

  it("is unsolved at its limit of rounds, with a patch", async () => {
    await using fixture = await workerFixture(({ number }) => shell(`echo ${number} >> a.txt`));
    const run = await fixture.run({ limits: { rounds: 2, minutes: 5, dollars: null } });
    expect([run.outcome, run.reason, run.result?.patch?.files]).toEqual([
      ...["unsolved", "The model reached the limit of 2 rounds.", 1],
    ]);
  });

  it("is unsolved at its own limit of dollars, and ends as budget when the money of the fleet is used up", {
    tags: "slow",
  }, async () => {
    const costly = { ...shell("echo more >> a.txt"), usage: { input: 100_000, output: 1_000 } };
    await using fixture = await workerFixture(() => costly);
    const own = await fixture.run({ limits: { rounds: 50, minutes: 5, dollars: 0.2 } });
    const { budget } = { budget: 0.2 };
    const ofFleet = await fixture.run({ fleet: "poor" }, {}, { budget });
    const [, poor] = await fixture.store.fleets();
    expect([own.outcome, own.reason, ofFleet.outcome, ofFleet.reason]).toEqual([
      "unsolved",
      "The model reached the limit of 0.2 dollars.",
      "budget",
      "The budget of the fleet is used up.",
    ]);
    const perRequest = own.result!.cost! / own.result!.rounds;
    expect([poor?.name, poor!.spent >= budget, poor!.spent <= budget + perRequest]).toEqual([
      ...["poor", true, true],
    ]);
    expect(ofFleet.result!.cost).toBeCloseTo(poor!.spent, 6);
  });

  it("ends all runs that wait when the budget of the fleet is used up", async () => {
    const costly = { ...shell("echo more >> a.txt"), usage: { input: 100_000, output: 1_000 } };
    await using fixture = await workerFixture(() => costly);
    const settings = { budget: 0.2 };
    const ids: string[] = [];
    for (let task = 0; task < 20; task += 1) ids.push(await fixture.submit({}, settings));
    await fixture.start({ slots: 1 });
    const runs = await Promise.all(ids.map((id) => fixture.ended(id)));
    expect(new Set(runs.map(({ outcome, reason }) => `${outcome}: ${reason}`))).toEqual(
      new Set(["budget: The budget of the fleet is used up."]),
    );
    // No worker has begun with the others.
    expect(runs.map(({ startedAt }) => startedAt !== null)).toEqual(ids.map((_, index) => index === 0));
  });

  it("is cancelled while its tool runs, and keeps its session", async () => {
    await using fixture = await workerFixture(doing("echo begun > begun; sleep 1000"));
    const id = await fixture.submit();
    const worker = await fixture.start();
    const begun = join(await fixture.folderOf(id), "workspace/begun");
    await vi.waitUntil(() => existsSync(begun), { timeout: 60_000 });
    await fixture.store.cancel({ fleet: "trial" });
    const run = await fixture.ended(id);
    expect([run.outcome, run.result?.artifactNames]).toEqual([
      "cancelled",
      ["session.jsonl", "session.html", "journal.sqlite", "result.json"],
    ]);
    await vi.waitUntil(() => worker.busy === 0, { timeout: 60_000 });
  });

  it("is parked by a storm of 429 and outages, and solved later, without a second call", {
    tags: "slow",
  }, async () => {
    let refused = 0;
    await using fixture = await workerFixture((request) => {
      if (request.number % 3 === 0) return doing("echo new > a.txt; echo ran >> ran.txt")(request);
      refused += 1;
      const status = refused % 2 === 0 ? 503 : 429;
      return { fault: { status, ...(status === 429 && { retryAfter: "0" }) } };
    });
    const run = await fixture.run({
      check: { command: "test $(wc -l < ran.txt) = 1", files: {}, minutes: 1 },
    });
    expect([run.outcome, run.deliveries, refused]).toEqual(["solved", 1, 4]);
    expect(run.result).toMatchObject({ rounds: 2, calls: 1 });
    expect(await fixture.store.lanes()).toMatchObject([{ lane: "openai", inFlight: 0 }]);
  });

  it("waits in its slot for a lane with one request at a time", { tags: "slow" }, async () => {
    let atOnce = 0;
    let most = 0;
    await using fixture = await workerFixture(async (request) => {
      most = Math.max(most, ++atOnce);
      await setTimeout(50);
      atOnce -= 1;
      return doing("echo new > a.txt")(request);
    });
    const lanes = { openai: { concurrency: 1, tokensPerMinute: null } };
    const ids = [await fixture.submit({}, { lanes }), await fixture.submit({}, { lanes })];
    await fixture.start();
    const runs = await Promise.all(ids.map((id) => fixture.ended(id)));
    expect([runs.map(({ outcome }) => outcome), most]).toEqual([["solved", "solved"], 1]);
  });

  it("ends as infrastructure when its provider refuses for too long, or its key is wrong", {
    tags: "slow",
  }, async () => {
    let status = 429;
    await using fixture = await workerFixture(() => ({ fault: { status } }));
    const parked = await fixture.run({}, {}, { parkedHours: 0 });
    status = 401;
    const denied = await fixture.run();
    expect([parked.outcome, parked.reason, denied.outcome]).toEqual([
      ...["infrastructure", expect.stringMatching(/^Parked for 0 hours: /), "infrastructure"],
    ]);
  });
});

describe("a run whose artifacts cannot be stored", () => {
  it("is parked, and ends at its time limit when they can", { tags: "slow" }, async () => {
    await using fixture = await workerFixture(({ number }) => shell(`echo ${number} >> a.txt; sleep 0.6`));
    const store = await openArtifactStore(join(fixture.folder, "artifacts"));
    let failures = 0;
    const run = await fixture.run(
      { limits: { rounds: 100_000, minutes: 0.03, dollars: null } },
      {
        artifacts: {
          put: async (...given) => {
            if (failures++ < 2) throw new Error("No space is left.");
            return store.put(...given);
          },
        },
      },
    );
    expect([run.outcome, run.reason, failures, run.deliveries]).toEqual([
      ...["unsolved", "The model reached the limit of 0.03 minutes.", 3, 1],
    ]);
    expect(run.result?.artifactNames).toContain("patch.diff");
  });

  it("ends as infrastructure after the longest time, and keeps its files", { tags: "slow" }, async () => {
    await using fixture = await workerFixture(doing("echo new > a.txt"));
    const put = async () => Promise.reject(new Error("No space is left."));
    const run = await fixture.run({}, { artifacts: { put } }, { parkedHours: 0 });
    expect([run.outcome, run.reason, run.result?.artifacts]).toEqual([
      "infrastructure",
      "Parked for 0 hours: The artifacts could not be stored: No space is left.",
      null,
    ]);
    const kept = await fixture.folderOf(run.id);
    expect(readdirSync(kept)).toEqual(expect.arrayContaining(["artifacts", "patch.diff", "workspace"]));
  });
});

describe("a run whose database does not answer", () => {
  it("continues with its next delivery", { tags: "slow" }, async () => {
    await using fixture = await workerFixture(doing("echo new > a.txt; echo ran >> ran.txt"));
    let requests = 0;
    const store = new Proxy(fixture.store, {
      get: (target, name: keyof FleetStore) => {
        if (name === "admit" && ++requests === 2)
          return () => Promise.reject(databaseUnavailable(new Error("Connection refused.")));
        const member = target[name];
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const check = { command: "test $(wc -l < ran.txt) = 1", files: {}, minutes: 1 };
    const run = await fixture.run({ check }, { store });
    expect([run.outcome, run.deliveries, run.result?.calls]).toEqual(["solved", 1, 1]);
  });
});

describe("a run that was delivered too often", () => {
  it("ends with the session and the journal of its last delivery", { tags: "slow" }, async () => {
    // With a short lease, a heartbeat between the faked end and the stop would release the run and not count its delivery.
    await using fixture = await workerFixture(doing("echo new > a.txt"), { leaseMs: 600_000 });
    const id = await fixture.submit({}, { deliveries: 1 });
    const ends: unknown[] = [];
    let isFirst = true;
    const store = new Proxy(fixture.store, {
      get: (target, name: keyof FleetStore) => {
        // The first worker seems to die before it reports the end.
        if (name === "end" && isFirst) {
          isFirst = false;
          return async () => false;
        }
        const member = target[name];
        return typeof member === "function" ? member.bind(target) : member;
      },
    });
    const first = await fixture.start({ store, onRun: (_, end) => end && ends.push(end) });
    await vi.waitUntil(() => ends.length > 0, { timeout: 60_000 });
    await first.stop({ graceMs: 0 });
    await fixture.start();
    const run = await fixture.ended(id);
    expect([run.outcome, run.reason, run.result?.cost, run.result?.artifactNames]).toEqual([
      "infrastructure",
      "The run did not end in 1 delivery.",
      null,
      ["session.jsonl", "session.html", "journal.sqlite", "result.json"],
    ]);
  });
});

describe("a hostile spec", () => {
  let refusing: WorkerFixture;
  beforeAll(async () => {
    refusing = await workerFixture([]);
  });
  afterAll(() => refusing[Symbol.asyncDispose]());

  it("cannot loosen the mode: a command that needs approval is refused, with the option to add", async () => {
    await using fixture = await workerFixture(doing("touch outside"));
    const run = await fixture.run({ mode: "yolo", setup: "curl http://example.com" }, { mode: "cautious" });
    expect([run.outcome, run.reason]).toEqual([
      "infrastructure",
      expect.stringContaining("--rule 'allow run"),
    ]);
  });

  it.each([
    [{ rules: ["allow run **"] }, "--rule 'allow run **'"],
    [{ rules: ["deny run rm **\nallow run **"] }, "--rule"],
    [{ target: "ssh:host:/dir" }, "--allow-target 'ssh:host:/dir'"],
    [{ target: "image:debian" }, "--allow-target 'image:debian'"],
    [{ repository: "/etc" }, "--allow-repository '/etc'"],
    [{ repository: "file:///etc" }, "--allow-repository 'file:///etc'"],
    [{ repository: "ext::sh -c touch% x" }, "is not a repository"],
    [{ repository: "--upload-pack=touch x" }, "is not a repository"],
    [
      { repository: null, check: { command: "true", files: { "../x": "" }, minutes: 1 } },
      "outside the workspace",
    ],
    [
      { repository: null, check: { command: "true", files: { "/etc/x": "" }, minutes: 1 } },
      "outside the workspace",
    ],
    [
      { repository: null, check: { command: "true", files: { ".git/config": "" }, minutes: 1 } },
      "file of git",
    ],
  ])("is refused: %j", async (spec, reason) => {
    const run = await refusing.run(spec, { allowRepositories: undefined });
    expect([run.outcome, run.reason]).toEqual(["infrastructure", expect.stringContaining(reason)]);
    expect(refusing.server.requests).toEqual([]);
  });

  it("cannot choose files of the worker by names of its fleet and task", async () => {
    await using fixture = await workerFixture(doing("echo new > a.txt"));
    const run = await fixture.run({ fleet: "../../escaped", task: "../../../task" });
    expect(run.outcome).toBe("solved");
    const artifacts = join(fixture.folder, "artifacts/");
    expect(run.result!.artifacts!.startsWith(artifacts)).toBe(true);
    expect(readdirSync(fixture.folder).filter((name) => name.includes("escaped"))).toEqual([]);
  });

  it("is refused when its row was changed after its submission", async () => {
    await using fixture = await workerFixture([]);
    const id = await fixture.submit();
    const { DatabaseSync } = loadSqlite();
    const database = new DatabaseSync(join(fixture.folder, "fleet.sqlite"));
    database.prepare("UPDATE runs SET spec = replace(spec, 'Make', 'Break') WHERE id = ?").run(id);
    database.close();
    await fixture.start();
    const { outcome, reason } = await fixture.ended(id);
    expect([outcome, reason, fixture.server.requests]).toEqual([
      ...["infrastructure", "The spec of the run is not the one that was submitted.", []],
    ]);
  });

  it("leaves no secret in the artifacts", async () => {
    const key = `ghp_${"aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3fG5"}`;
    await using fixture = await workerFixture(({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? { text: `The key is ${key}.` }
        : shell(`echo ${key} | tee k.txt`),
    );
    const run = await fixture.run({
      ...{
        prompt: `Use ${key}`,
        setup: `echo ${key}`,
        check: { command: `cat k.txt; false`, files: {}, minutes: 1 },
      },
    });
    const { artifacts, artifactNames, text } = run.result!;
    const leaks = artifactNames.filter((name) => readFileSync(join(artifacts!, name)).includes(key));
    expect([leaks, text.includes(key), JSON.stringify(run.result).includes(key)]).toEqual([[], false, false]);
    expect(artifactNames.length).toBe(7);
  });
});

describe("a model in the mode yolo", () => {
  it("cannot read the workspaces, patches and repositories of other runs, or change its own patch", {
    tags: "slow",
  }, async () => {
    const seen: string[] = [];
    let commands: readonly string[] = [];
    await using fixture = await workerFixture(({ messages }) => {
      const answers = messages.filter(({ role }) => role === "tool");
      seen.push(...answers.slice(-1).map(({ text }) => text));
      const command = commands[answers.length];
      return command === undefined ? { text: "Done." } : shell(command);
    });
    const other = await fixture.run({ check: null, keepWorkspace: "always" });
    writeFileSync(
      join(await fixture.folderOf(other.id), "workspace/answer.txt"),
      "the answer of another run",
    );
    commands = [
      "cat ../../*/workspace/answer.txt",
      `cat '${await fixture.folderOf(other.id)}/workspace/answer.txt'`,
      `cat '${fixture.options.workFolder}'/mirrors/*/HEAD`,
      "echo fake > ../patch.diff",
      "echo new > a.txt",
    ];
    seen.length = 0;
    // In a sandbox, where there is one.
    const run = await fixture.run({ check: null }, { sandbox: undefined });
    expect(seen.slice(0, 4).map((text) => /denied|secret/i.test(text))).toEqual([true, true, true, true]);
    expect(seen.join()).not.toContain("the answer of another run");
    expect(run.result?.patch).toEqual({ files: 1, added: 1, removed: 1 });
  });
});

describe("a hostile repository", () => {
  it("runs no hook, filter or setting of its own on the worker", { tags: "slow" }, async () => {
    let clone = "";
    await using fixture = await workerFixture((request) => {
      // The rules keep the model from writing these settings; a program that it builds could find a way.
      for (const [name, command] of settings(fixture.folder)) git(clone, "config", name, command);
      return doing("echo '* filter=x diff=x' > .gitattributes; echo new > a.txt")(request);
    });
    const hooks = join(fixture.repository, ".git/hooks");
    mkdirSync(hooks, { recursive: true });
    for (const name of ["post-checkout", "post-merge", "reference-transaction", "fsmonitor-watchman"])
      writeFileSync(join(hooks, name), `#!/bin/sh\ntouch '${fixture.folder}/owned'\n`, { mode: 0o755 });
    commit(fixture.repository, { ".gitattributes": "*.txt filter=lfs\n", ".lfsconfig": "[lfs]\n" });
    rmSync(join(fixture.folder, "owned"), { force: true });
    const id = await fixture.submit({ check: null });
    clone = join(await fixture.folderOf(id), "workspace");
    await fixture.start();
    const run = await fixture.ended(id);
    expect([run.outcome, run.result?.patch, existsSync(join(fixture.folder, "owned"))]).toEqual([
      ...["solved", { files: 2, added: 2, removed: 2 }, false],
    ]);
  });

  it("runs no filter of a submodule that appears during the run", { tags: "slow" }, async () => {
    let clone = "";
    await using fixture = await workerFixture(() => {
      const module = join(clone, "module");
      if (existsSync(join(module, ".git"))) return { text: "Done." };
      git(module, "init", "-q");
      commit(module, { "b.txt": "b\n", ".gitattributes": "* filter=x\n" });
      for (const [name, command] of settings(fixture.folder)) git(module, "config", name, command);
      writeFileSync(join(module, "b.txt"), "changed\n");
      return shell("echo new > a.txt");
    });
    const first = git(fixture.repository, "rev-parse", "HEAD");
    git(fixture.repository, "update-index", "--add", "--cacheinfo", `160000,${first},module`);
    git(fixture.repository, "-c", "user.name=T", "-c", "user.email=t@example.com", "commit", "-qm", "Module");
    const id = await fixture.submit({ check: null });
    clone = join(await fixture.folderOf(id), "workspace");
    await fixture.start();
    const run = await fixture.ended(id);
    expect([run.reason, run.result?.patch, existsSync(join(fixture.folder, "owned"))]).toEqual([
      ...["The model ended; the task has no check.", { files: 1, added: 1, removed: 1 }, false],
    ]);
  });

  it("cannot lead files of the check through its links", { tags: "slow" }, async () => {
    await using fixture = await workerFixture(doing("rm -rf checks; ln -s /usr/share checks"));
    symlinkSync(fixture.folder, join(fixture.repository, "tests"));
    commit(fixture.repository, {});
    const check = (file: string) => ({ command: "true", files: { [file]: "exit 1\n" }, minutes: 1 });
    const byRepository = await fixture.run({ check: check("tests/x.sh") });
    const byModel = await fixture.run({ check: check("checks/x.sh") });
    expect([byRepository.outcome, byRepository.reason]).toEqual([
      "infrastructure",
      expect.stringContaining("contains a link"),
    ]);
    expect(byModel.outcome).toBe("unsolved");
    expect(existsSync(join(fixture.folder, "x.sh"))).toBe(false);
  });
});

describe("a hostile provider", () => {
  it("cannot pause a lane or park a run for longer than an hour", async () => {
    await using fixture = await workerFixture(() => ({ fault: { status: 429, retryAfter: "999999999" } }));
    const id = await fixture.submit();
    await fixture.start();
    const run = await vi.waitFor(
      async () => {
        const found = await fixture.store.run(id);
        if (found?.state !== "parked") throw new Error(`The run is ${found?.state}`);
        return found;
      },
      { timeout: 60_000 },
    );
    const latest = Date.now() + 3_600_000;
    const [lane] = await fixture.store.lanes();
    expect([run.notBefore <= latest, lane!.pausedUntil > 0, lane!.pausedUntil <= latest]).toEqual([
      ...[true, true, true],
    ]);
  });

  it("cannot give money back to a budget", async () => {
    await using fixture = await workerFixture(({ messages }) => ({
      ...(messages.some(({ role }) => role === "tool") ? { text: "Done." } : shell("echo new > a.txt")),
      usage: { input: -1_000_000, output: -1_000_000 },
    }));
    const run = await fixture.run();
    const [fleet] = await fixture.store.fleets();
    expect([run.outcome, run.result?.cost, fleet?.spent]).toEqual(["solved", 0, 0]);
  });
});

describe("a hostile model", () => {
  const check = {
    command: "sh tests/check.sh",
    files: { "tests/check.sh": "grep -q new a.txt\n" },
    minutes: 1,
  };

  it("cannot replace the files of the check by a process that it leaves running", {
    tags: "slow",
  }, async () => {
    const wait = "until [ -s tests/check.sh ]; do sleep 0.02; done; echo exit 0 > tests/check.sh";
    const linger = `(setsid sh -c '${wait}' > /dev/null 2>&1 &); touch begun; sleep 1000`;
    await using fixture = await workerFixture(({ messages }) =>
      messages.some(({ role }) => role === "tool")
        ? { text: "Done." }
        : { calls: [{ name: "exec_command", input: { cmd: linger, yield_time_ms: 500 } }] },
    );
    // The command is slow, so that the process has time for its change.
    const slow = { ...check, command: "sleep 1; sh tests/check.sh" };
    const run = await fixture.run({ check: slow });
    expect([run.outcome, run.reason]).toEqual(["unsolved", "The check failed: exit code 1."]);
  });

  it("cannot block the worker with a pipe in place of a file of the check", async () => {
    await using fixture = await workerFixture(doing("mkdir tests; mkfifo tests/check.sh"));
    const run = await fixture.run({ check });
    expect([run.outcome, run.reason]).toEqual(["unsolved", "The check failed: exit code unknown."]);
  });
});

/** Settings with which git would run a program. */
function settings(folder: string): readonly (readonly [string, string])[] {
  const names = ["core.fsmonitor", "filter.x.clean", "filter.x.process", "diff.x.textconv", "diff.x.command"];
  return names.map((name) => [name, `touch '${folder}/owned'; false`]);
}
