import { spawn } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { appendToPolicyFile, policyFiles } from "../../system/policy-files.ts";
import {
  AnsweredElsewhere,
  type Approval,
  type ApprovalRequest,
  type Approve,
  openToolcrib,
  type Toolcrib,
  type ToolcribOptions,
} from "../../toolcrib/index.ts";
import { AllPendingApprovals } from "./approvals.ts";
import { askOutside, askVisibly } from "./ask-anywhere.ts";
import { QuestionStore } from "./question-store.ts";

const asker = { workspace: "/w", session: "session_1", client: { kind: "library" } } as const;
const request = { hash: "a", previewHash: "a", parts: [] } as unknown as ApprovalRequest;

/** A question that a program shows to its user. */
interface Shown {
  readonly request: ApprovalRequest;
  readonly signal: AbortSignal;
  answer(approval: Approval): void;
}

/** Instances of one folder whose programs show questions, and the desk where they can be answered as well. */
function openHouse() {
  const folder = temporaryFolder();
  const at = (path: string) => join(folder.path, path);
  mkdirSync(at("workspace"));
  const instances: Toolcrib[] = [];
  return {
    at,
    desk: new AllPendingApprovals({ state: at("state"), config: at("config") }),
    database: at("state/approvals.db"),
    grant: (rule: string) => appendToPolicyFile(policyFiles(at("config"), at("workspace")).granted, [rule]),
    write: (path: string, text: string) => writeFileSync(at(join("workspace", path)), text),
    open: async (options: ToolcribOptions = {}) => {
      const shown: Shown[] = [];
      let last: Promise<unknown> = Promise.resolve();
      // Like a terminal: one question at a time.
      const approve: Approve = (request, signal, ready) => {
        const answer = last.then(async () => {
          await ready?.();
          signal.throwIfAborted();
          const { promise, resolve, reject } = Promise.withResolvers<Approval>();
          signal.addEventListener("abort", () => reject(signal.reason));
          shown.push({ request, signal, answer: resolve });
          return promise;
        });
        last = answer.catch(() => {});
        return answer;
      };
      const crib = await openToolcrib({
        workspace: at("workspace"),
        stateDirectory: at("state"),
        configDirectory: at("config"),
        mode: "safe",
        sandbox: "none",
        approve,
        ...options,
      });
      instances.push(crib);
      return Object.assign(crib, { shown });
    },
    [Symbol.asyncDispose]: async () => {
      await Promise.all(instances.map((crib) => crib.close()));
      await folder[Symbol.asyncDispose]();
    },
  };
}

const remove = (crib: Pick<Toolcrib, "call">, path = "a.txt") => crib.call("file.delete", { path });
const run = (crib: Pick<Toolcrib, "call">, command: string) => crib.call("shell.run", { command });
const pending = (crib: Toolcrib, count = 1) =>
  vi.waitFor(() => expect(crib.approvals.list()).toHaveLength(count), { timeout: 60_000 });

describe("a question that a program shows", () => {
  it("is pending with the program that asks, and its own answer ends it", async () => {
    await using house = openHouse();
    house.write("a.txt", "one\n");
    const crib = await house.open({ client: { kind: "chat" } });
    const caller = await crib.addCaller({ agent: "agent_1" });
    const call = remove(caller);
    await pending(crib);
    const [question] = house.desk.list();
    const { session, client, request, waiting } = question!;
    crib.shown[0]!.answer({ allow: true });
    expect([
      { session, client, agent: request.agent, waiting, shown: crib.shown[0]!.request.agent },
      (await call).error,
      house.desk.list(),
    ]).toEqual([
      { session: crib.session, client: { kind: "chat" }, agent: "agent_1", waiting: 1, shown: "agent_1" },
      null,
      [],
    ]);
    const late = house.desk.answer(question!, { allow: true, remember: "always" });
    await expect(late).rejects.toMatchObject({ code: "stale" });
    expect(existsSync(policyFiles(house.at("config"), house.at("workspace")).granted)).toBe(false);
  });

  it("is withdrawn when it is answered elsewhere, and the call goes on", async () => {
    await using house = openHouse();
    house.write("a.txt", "one\n");
    const crib = await house.open();
    const call = remove(crib);
    await pending(crib);
    await house.desk.answer(house.desk.list()[0]!, { allow: true });
    const { error } = await call;
    const [{ signal }] = crib.shown as [Shown];
    expect([error, signal.reason, signal.reason.message, house.desk.list()]).toEqual([
      null,
      expect.any(AnsweredElsewhere),
      "Allowed, answered elsewhere",
      [],
    ]);
    expect(crib.log()[0]?.decision).toMatchObject({ verdict: "ask", answer: "once" });
  });

  it("passes the message of a refusal elsewhere to the model, and asks again about the next call", async () => {
    await using house = openHouse();
    house.write("a.txt", "one\n");
    const crib = await house.open();
    const call = remove(crib);
    await pending(crib);
    await house.desk.answer(house.desk.list()[0]!, { allow: false, message: "Move it instead." });
    expect((await call).content).toBe(
      "The user refused this call and said: Move it instead.\nNothing was done.",
    );
    const again = remove(crib);
    await vi.waitFor(() => expect(crib.shown).toHaveLength(2), { timeout: 60_000 });
    crib.shown[1]!.answer({ allow: false });
    expect((await again).error?.code).toBe("denied");
  });

  it("remembers an answer for the session or always, as given elsewhere", { tags: "slow" }, async () => {
    await using house = openHouse();
    house.write("a.txt", "one\n");
    const crib = await house.open();
    for (const remember of ["session", "always"] as const) {
      const command = `echo ${remember} > ${remember}.txt`;
      const call = run(crib, command);
      await pending(crib);
      await house.desk.answer(house.desk.list()[0]!, { allow: true, remember });
      expect([(await call).error, (await run(crib, command)).error]).toEqual([null, null]);
    }
    expect(crib.shown).toHaveLength(2);
  });

  it("ends with its call and with its process", { tags: "slow" }, async () => {
    await using house = openHouse();
    house.write("a.txt", "one\n");
    const crib = await house.open();
    const stop = new AbortController();
    const call = crib.call("file.delete", { path: "a.txt" }, { signal: stop.signal });
    await pending(crib);
    stop.abort();
    expect([(await call).error?.code, crib.approvals.list()]).toEqual(["cancelled", []]);

    const program = join(import.meta.dirname, "../../toolcrib/index.ts");
    const options = { workspace: house.at("workspace"), stateDirectory: house.at("state"), mode: "safe" };
    const script = `import { openToolcrib } from ${JSON.stringify(program)};
      setInterval(() => {}, 1000);
      const crib = await openToolcrib({ ...${JSON.stringify(options)}, approve: () => new Promise(() => {}) });
      await crib.call("file.delete", { path: "a.txt" });`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], { stdio: "ignore" });
    await vi.waitFor(() => expect(crib.approvals.list()).toHaveLength(1), { timeout: 60_000 });
    const [orphan] = house.desk.list();
    child.kill("SIGKILL");
    await vi.waitFor(() => expect(crib.approvals.list()).toEqual([]), { timeout: 60_000 });
    expect(existsSync(house.at("workspace/a.txt"))).toBe(true);
    const late = house.desk.answer(orphan!, { allow: true, remember: "always" });
    await expect(late).rejects.toMatchObject({
      code: "stale",
      message: `The call of approval ${orphan!.id} cannot run any more: its session has ended`,
    });
    expect(() => house.desk.find(orphan!.id)).toThrow("its session has ended");
    expect(existsSync(policyFiles(house.at("config"), house.at("workspace")).granted)).toBe(false);
  });

  it("ends with its session, also when the call was refused and only its repetition would run", async () => {
    await using house = openHouse();
    house.write("a.txt", "one\n");
    const crib = await house.open({ approve: undefined, pendingApprovals: true });
    const other = await house.open();
    expect((await remove(crib)).error?.code).toBe("needs-approval");
    const [question] = other.approvals.list();
    await crib.close();
    expect(other.approvals.list()).toEqual([]);
    await expect(other.approvals.answer(question!.id, { allow: true })).rejects.toThrow(
      "its session has ended",
    );
  });

  it("is still asked where it is shown when it cannot be stored", async () => {
    await using house = openHouse();
    house.write("a.txt", "one\n");
    writeFileSync(house.at("elsewhere"), "");
    const crib = await house.open();
    symlinkSync(house.at("elsewhere"), house.database);
    const call = remove(crib);
    await vi.waitFor(() => expect(crib.shown).toHaveLength(1), { timeout: 60_000 });
    crib.shown[0]!.answer({ allow: true });
    expect([(await call).error, readFileSync(house.at("elsewhere"), "utf8"), house.desk.list()]).toEqual([
      null,
      "",
      [],
    ]);
  });
});

it("is never stored for a call that was cancelled while its program began to ask", async () => {
  await using folder = temporaryFolder();
  const store = new QuestionStore(folder.path);
  const stop = new AbortController();
  const prompt: Approve = () => {
    stop.abort();
    return new Promise(() => {});
  };
  const asks = [
    askVisibly(prompt, { store, asker }),
    askOutside({ store, asker, notify: () => {} }),
    askOutside({ store, asker, waitMs: 60_000, notify: () => {} }),
  ];
  const ends: PromiseSettledResult<Approval>[] = [];
  for (const ask of asks) ends.push(...(await Promise.allSettled([ask(request, stop.signal)])));
  expect([ends.map(({ status }) => status), existsSync(store.file)]).toEqual([
    ["rejected", "rejected", "rejected"],
    false,
  ]);
});

describe("an answer in the database", () => {
  it.each([
    ["allows by text", JSON.stringify({ says: { allow: "true" } })],
    ["is not JSON", "{"],
  ])("does not count when it %s", async (_name, answer) => {
    await using folder = temporaryFolder();
    const store = new QuestionStore(folder.path);
    const question = store.open(request, asker)!;
    const database = new DatabaseSync(store.file);
    const { number } = database.prepare("SELECT number FROM questions").get()!;
    database.prepare("UPDATE questions SET answer = ?, answered_at = ?").run(answer, Date.now());
    database.close();
    expect([store.answerTo(Number(number)), question.close(), store.list()]).toEqual([
      undefined,
      undefined,
      [],
    ]);
  });

  it("is the first one: a second one is told that the question is no longer pending", async () => {
    await using house = openHouse();
    house.write("a.txt", "one\n");
    const crib = await house.open();
    const call = remove(crib);
    await pending(crib);
    const [question] = house.desk.list();
    const answers = await Promise.allSettled(
      [true, false, true].map((allow) => house.desk.answer(question!, { allow })),
    );
    expect([answers.map(({ status }) => status), (await call).error]).toEqual([
      ["fulfilled", "rejected", "rejected"],
      null,
    ]);
  });
});

describe("equal questions that wait", () => {
  it("of two programs are listed once and answered together", async () => {
    await using house = openHouse();
    const [one, other] = [await house.open(), await house.open()];
    const calls = [run(one, "echo hi > b.txt"), run(other, "echo hi > b.txt")];
    await vi.waitFor(() => expect(house.desk.list()[0]?.waiting).toBe(2), { timeout: 60_000 });
    const listed = house.desk.list();
    await house.desk.answer(listed[0]!, { allow: true });
    expect([listed.length, (await Promise.all(calls)).map(({ error }) => error)]).toEqual([1, [null, null]]);
    expect(house.desk.list()).toEqual([]);
  });

  it("are remembered only for the session that the user was shown", { tags: "slow" }, async () => {
    await using house = openHouse();
    const [one, other] = [await house.open(), await house.open()];
    const calls = [run(one, "echo hi > b.txt"), run(other, "echo hi > b.txt")];
    await vi.waitFor(() => expect(house.desk.list()[0]?.waiting).toBe(2), { timeout: 60_000 });
    const [question] = house.desk.list();
    await house.desk.answer(question!, { allow: true, remember: "session" });
    await Promise.all(calls);
    const unseen = question!.session === one.session ? other : one;
    const again = run(unseen, "echo hi > b.txt");
    await pending(unseen);
    await house.desk.answer(house.desk.list()[0]!, { allow: false });
    expect((await again).error?.code).toBe("denied");
  });

  it("of subagents are shown once, and one answer counts for all", async () => {
    await using house = openHouse();
    const crib = await house.open();
    const agents = await Promise.all([1, 2, 3].map((n) => crib.addCaller({ agent: `agent_${n}` })));
    const calls = agents.map((agent) => run(agent, "echo hi >> b.txt"));
    await pending(crib);
    crib.shown[0]!.answer({ allow: true });
    const results = await Promise.all(calls);
    expect([results.map(({ error }) => error), crib.shown.length]).toEqual([[null, null, null], 1]);
  });
});

describe("a wider answer", () => {
  it("answers the questions that wait behind it, which are never shown", async () => {
    await using house = openHouse();
    const names = ["a.txt", "b.txt", "c.txt"];
    for (const name of names) house.write(name, "x\n");
    const crib = await house.open();
    const calls = names.map((name) => remove(crib, name));
    await pending(crib, 3);
    await house.grant("allow delete *.txt");
    crib.shown[0]!.answer({ allow: true });
    const results = await Promise.all(calls);
    expect([results.map(({ error }) => error), crib.shown.length, crib.approvals.list()]).toEqual([
      [null, null, null],
      1,
      [],
    ]);
  });

  it("in one program answers the question of another", { tags: "slow" }, async () => {
    await using house = openHouse();
    for (const name of ["a.txt", "b.txt"]) house.write(name, "x\n");
    const [one, other] = [await house.open(), await house.open()];
    const calls = [remove(one, "a.txt"), remove(other, "b.txt")];
    await pending(one, 2);
    await house.grant("allow delete *.txt");
    const results = await Promise.all(calls);
    const reasons = [one, other].map(({ shown }) => (shown[0]?.signal.reason as Error | undefined)?.message);
    expect([results.map(({ error }) => error), reasons]).toEqual([
      [null, null],
      ["Allowed, by new rules", "Allowed, by new rules"],
    ]);
  });

  it("that denies ends the question, too", { tags: "slow" }, async () => {
    await using house = openHouse();
    house.write("a.txt", "x\n");
    const crib = await house.open();
    const call = remove(crib);
    await pending(crib);
    mkdirSync(house.at("config"), { recursive: true });
    writeFileSync(house.at("config/rules"), "deny delete *.txt\n");
    expect([(await call).error?.code, crib.shown[0]?.signal.reason.message]).toEqual([
      "denied",
      "Denied, by new rules",
    ]);
  });
});
