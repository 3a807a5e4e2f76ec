import { existsSync, readdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import { type Approval, defineTool, openToolcrib } from "./index.ts";

const remove = (path = "a.txt") => ["file.delete", { path }] as const;

describe("check", () => {
  it("answers allow, ask and deny with the explanation, and runs and records nothing", async () => {
    await using fixture = await temporaryToolcrib({ mode: "safe", rules: ["deny write locked/**"] });
    const { crib } = fixture;
    fixture.write("a.txt", "one\n");
    const events: string[] = [];
    crib.events.on(({ type }) => events.push(type));
    const allowed = await crib.check("file.read", { path: "a.txt" });
    const asked = await crib.check(...remove());
    const denied = await crib.check("file.write", { path: "locked/x", content: "" });
    expect([allowed, denied]).toMatchObject([
      { verdict: "allow", explanation: expect.stringMatching(/^Allowed: /), request: null, error: null },
      {
        verdict: "deny",
        explanation: expect.stringMatching(/^Denied: it would write locked\/x/),
        decision: { verdict: "deny", rule: "deny write locked/**" },
        request: null,
        error: { code: "denied" },
      },
    ]);
    expect(asked).toMatchObject({
      verdict: "ask",
      explanation: expect.stringMatching(/^This call needs approval: it would delete a.txt/),
      decision: { verdict: "ask", source: "mode safe" },
      request: { tool: "file.delete", grants: [expect.stringContaining("a.txt")], id: expect.any(String) },
      error: null,
    });
    expect([events, crib.log(), crib.approvals.list(), fixture.read("a.txt")]).toEqual([[], [], [], "one\n"]);
  });

  it("names only the formatters and checkers that the project uses", async () => {
    await using fixture = await temporaryToolcrib({ mode: "safe" });
    const { crib } = fixture;
    fixture.write("a.rs", "fn a() {}\n");
    const commands = async () => {
      const block = { path: "a.rs", name: "a", new_block: "fn a() { 1 }" };
      const { request } = await crib.check("code.replace_block", {
        ...block,
        run_formatter: true,
        run_check: true,
      });
      return request?.accesses.flatMap((access) => (access.kind === "execute" ? access.command : []));
    };
    const before = await commands();
    fixture.write("dprint.json", "{}");
    fixture.write("Cargo.toml", "[package]\n");
    expect([before, await commands()]).toEqual([
      ["rustfmt --emit stdout"],
      ["rustfmt --emit stdout", "dprint fmt --stdin a.rs", "cargo check --quiet --message-format short"],
    ]);
  });

  it("says what is wrong with a call that cannot be made", async () => {
    await using fixture = await temporaryToolcrib({ dialect: "claude-code", readOnly: true });
    const { crib } = fixture;
    const checks = [
      await crib.check("nonsense", {}),
      await crib.check("Read", { path: 1 }),
      await crib.check("Write", { file_path: "a", content: "" }),
      await crib.check("journal.diff", {}, { onlyOffered: true }),
      await crib.check("Read", { file_path: "a" }, { mustAsk: "to be sure" }),
    ];
    await crib.close();
    checks.push(await crib.check("Read", { file_path: "a" }));
    expect(checks.map(({ verdict, error, decision }) => [verdict, error?.code, decision?.rule])).toEqual([
      ["deny", "not-found", undefined],
      ["deny", "invalid-input", undefined],
      ["deny", "denied", undefined],
      ["deny", "not-found", undefined],
      ["ask", undefined, "caller"],
      ["deny", "unavailable", undefined],
    ]);
  });

  it("runs neither hooks nor the command, and creates no file", async () => {
    await using folder = temporaryFolder();
    const own = { stateDirectory: `${folder.path}/state`, configDirectory: `${folder.path}/config` };
    const command = `touch ${folder.path}/hooked`;
    const crib = await openToolcrib({
      ...own,
      workspace: folder.path,
      mode: "yolo",
      sandbox: "none",
      commandHooks: [{ event: "PreToolUse", command, from: "user", source: "test" }],
    });
    const { verdict } = await crib.check("shell.run", { command: "touch made" });
    await crib.close();
    expect([verdict, readdirSync(folder.path).filter((name) => /made|hooked/.test(name))]).toEqual([
      "allow",
      [],
    ]);
  });
});

describe("a call that needs approval", () => {
  it("carries the request, which the program answers, and runs when it is made again", async () => {
    await using fixture = await temporaryToolcrib({ mode: "safe" });
    const { crib } = fixture;
    fixture.write("a.txt", "one\n");
    const refused = await crib.call(...remove());
    const { approval } = refused.error!;
    expect(approval).toMatchObject({ tool: "file.delete", accesses: [{ kind: "delete", path: "a.txt" }] });
    // A server sends it to the browser of the user.
    expect(JSON.parse(JSON.stringify(refused.error)).approval).toMatchObject({
      id: approval!.id,
      hash: approval!.hash,
    });
    expect([structuredClone(approval), { ...refused.error }.approval]).toEqual([approval, approval]);
    expect(crib.approvals.list().map(({ id, waiting }) => [id, waiting])).toEqual([[approval!.id, 0]]);
    await crib.approvals.answer(approval!.id, { allow: true, hash: approval!.hash });
    expect([(await crib.call(...remove())).error, crib.approvals.list()]).toEqual([null, []]);
    expect(crib.log({ limit: 1 })[0]?.decision?.answer).toBe("once");
    fixture.write("a.txt", "one\n");
    expect((await crib.call(...remove())).error?.code).toBe("needs-approval");
  });

  it("stays pending when its question is too long to be stored", async () => {
    const input = { type: "object" } as const;
    const tool = defineTool({ name: "long", description: "Take much.", input, run: () => "done" });
    await using fixture = await temporaryToolcrib({ tools: [tool] });
    const { approvals } = fixture.crib;
    const { id } = (await fixture.crib.call("long", { text: "x".repeat(1024 * 1024) })).error!.approval!;
    await expect(approvals.answer(id, { allow: true })).rejects.toMatchObject({
      code: "unavailable",
      message: expect.stringContaining("too long to be stored"),
    });
    expect(approvals.list().map((pending) => pending.id)).toEqual([id]);
  });

  it("is refused with the user's message", async () => {
    await using fixture = await temporaryToolcrib({ mode: "safe" });
    const { crib } = fixture;
    fixture.write("a.txt", "one\n");
    const { id } = (await crib.call(...remove())).error!.approval!;
    await crib.approvals.answer(id, { allow: false, message: "Keep it." });
    const { error } = await crib.call(...remove());
    expect([error?.code, error?.message]).toEqual([
      "denied",
      "The user refused this call and said: Keep it.",
    ]);
  });

  it.each(["session", "always"] as const)("is remembered for %s", async (remember) => {
    await using fixture = await temporaryToolcrib({ mode: "safe" });
    const { crib } = fixture;
    fixture.write("a.txt", "one\n");
    await crib.approvals.answer((await crib.call(...remove())).error!.approval!.id, {
      allow: true,
      remember,
    });
    const codes = [(await crib.call(...remove())).error];
    fixture.write("a.txt", "two\n");
    codes.push((await crib.call(...remove())).error);
    expect(codes).toEqual([null, null]);
  });

  it("can be asked about before it is made", async () => {
    await using fixture = await temporaryToolcrib({ mode: "safe" });
    const { crib } = fixture;
    fixture.write("a.txt", "one\n");
    const pending = await crib.approvals.ask(...remove());
    const others = [
      await crib.approvals.ask("file.read", { path: "a.txt" }),
      await crib.approvals.ask("x", {}),
    ];
    expect([others, crib.approvals.list().map(({ id }) => id), crib.log()]).toEqual([
      [undefined, undefined],
      [pending!.id],
      [],
    ]);
    await crib.approvals.answer(pending!.id, { allow: true });
    expect([(await crib.call(...remove())).error, existsSync(fixture.at("a.txt"))]).toEqual([null, false]);
  });

  it("does not run by an answer to another call, to a changed file, or to nothing", async () => {
    await using fixture = await temporaryToolcrib({ mode: "safe" });
    const { crib } = fixture;
    fixture.write("a.txt", "one\n");
    fixture.write("b.txt", "one\n");
    const edit = ["file.write", { path: "a.txt", content: "two\n" }] as const;
    const [first, second] = [await crib.call(...remove("b.txt")), await crib.call(...edit)];
    await crib.approvals.answer(first.error!.approval!.id, { allow: true });
    expect((await crib.call(...remove("a.txt"))).error?.code).toBe("needs-approval");
    await crib.approvals.answer(second.error!.approval!.id, { allow: true });
    fixture.write("a.txt", "changed\n");
    expect((await crib.call(...edit)).error?.code).toBe("needs-approval");
    expect((await crib.call("file.write", { ...edit[1], content: "evil\n" })).error?.code).toBe(
      "needs-approval",
    );

    const { id } = (await crib.call(...edit)).error!.approval!;
    const answer = async (to: string, given: unknown) =>
      crib.approvals.answer(to, given as Approval).then(
        () => "answered",
        (error) => error.code,
      );
    expect([
      await answer(id, { allow: true, hash: "0".repeat(64) }),
      await answer(id, { allow: "yes" }),
      await answer(id, undefined),
      await answer("nothing", { allow: true }),
      await answer("../../x", { allow: true }),
    ]).toEqual(["stale", "needs-approval", "needs-approval", "not-found", "not-found"]);
    expect([fixture.read("a.txt"), fixture.read("b.txt")]).toEqual(["changed\n", "one\n"]);
  });
});
