import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { emptySource } from "../../../test/support/tool-source.ts";
import type { ToolAccess } from "../../contract/access.ts";
import type { CallEvent } from "../../contract/call.ts";
import type { Tool } from "../../contract/tool.ts";
import { policyFiles } from "../../system/policy-files.ts";
import {
  type Approval,
  type ApprovalRequest,
  type Approve,
  openToolcrib,
  type Toolcrib,
  type ToolcribOptions,
} from "../../toolcrib/index.ts";

/** A fixture in which the user gives these answers in order; `asked` lists the requests. */
interface Fixture extends AsyncDisposable {
  readonly crib: Toolcrib;
  readonly workspace: string;
  readonly granted: string;
  readonly asked: ApprovalRequest[];
  reopen(answers: readonly Answer[]): Promise<Fixture>;
}

type Answer = Approval | Approve;

async function openFixture(
  answers: readonly Answer[] | "nobody",
  options: ToolcribOptions = {},
): Promise<Fixture> {
  const folder = temporaryFolder();
  const fixture = await openIn(folder.path, answers, options);
  return {
    ...fixture,
    [Symbol.asyncDispose]: async () => {
      await fixture.crib.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

async function openIn(
  folder: string,
  answers: readonly Answer[] | "nobody",
  options: ToolcribOptions,
): Promise<Fixture> {
  const workspace = join(folder, "workspace");
  mkdirSync(workspace, { recursive: true });
  const asked: ApprovalRequest[] = [];
  const approve: Approve = (request, signal) => {
    const answer = answers[asked.length] as Answer | undefined;
    asked.push(request);
    if (answer === undefined) throw new Error("nobody is there");
    return typeof answer === "function" ? answer(request, signal) : answer;
  };
  const configDirectory = join(folder, "config");
  const crib = await openToolcrib({
    workspace,
    stateDirectory: join(folder, "state"),
    configDirectory,
    mode: "safe",
    tools: [acting],
    ...(answers === "nobody" ? {} : { approve }),
    ...options,
  });
  return {
    crib,
    workspace,
    granted: policyFiles(configDirectory, workspace).granted,
    asked,
    reopen: async (later) => {
      await crib.close();
      return openIn(folder, later, options);
    },
    [Symbol.asyncDispose]: () => crib.close(),
  };
}

interface ActInput {
  readonly run?: string | undefined;
  readonly delete?: string | undefined;
  readonly say?: unknown;
}

/** Does nothing, but declares that it would run a command or delete a file; returns its input. */
const acting: Tool<ActInput> = {
  name: "test.act",
  description: "Acts.",
  risk: "execute",
  input: z.strictObject({
    run: z.optional(z.string()),
    delete: z.optional(z.string()),
    say: z.optional(z.unknown()),
  }),
  limits: { maxChars: 1000, keep: "both" },
  accesses: ({ run: command, delete: path }) => [
    ...(command === undefined ? [] : [{ kind: "execute", command } satisfies ToolAccess]),
    ...(path === undefined ? [] : [{ kind: "delete", path } satisfies ToolAccess]),
  ],
  run: async (input) => ({ data: input, text: `acted ${JSON.stringify(input.say ?? "")}` }),
};

const once: Approval = { allow: true };
const session: Approval = { allow: true, remember: "session" };
const always: Approval = { allow: true, remember: "always" };

describe("an approval answer", () => {
  it("with scope once applies to one call", async () => {
    await using fixture = await openFixture([once, { allow: false }]);
    const results = [
      await fixture.crib.call("test.act", { run: "make" }),
      await fixture.crib.call("test.act", { run: "make" }),
    ];
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, "denied"]);
    expect(fixture.crib.log().map(({ decision }) => decision?.answer)).toEqual(["no", "once"]);
  });

  it("with scope session applies to exactly what was shown, until the instance is closed", {
    tags: "slow",
  }, async () => {
    await using fixture = await openFixture([session]);
    const act = async (input: ActInput, tool = "test.act") =>
      (await fixture.crib.call(tool, input)).error?.code;
    expect([
      await act({ run: "npm test" }),
      await act({ run: "npm test" }),
      await act({ run: "npm test | npm test" }),
      await act({ run: "npm test --force" }),
      await act({ run: "npm test; ls" }),
      await act({ delete: "a" }),
    ]).toEqual([undefined, undefined, undefined, "needs-approval", "needs-approval", "needs-approval"]);
    expect(fixture.asked[0]!.grants).toEqual(["allow run npm test by test.act"]);
    expect(fixture.crib.log({ limit: 6 }).map(({ decision }) => decision?.source)).toEqual([
      "mode safe",
      "mode safe",
      "mode safe",
      "this session:1",
      "this session:1",
      "mode safe",
    ]);
    expect(existsSync(fixture.granted)).toBe(false);
    await using later = await fixture.reopen([]);
    expect((await later.crib.call("test.act", { run: "npm test" })).error?.code).toBe("needs-approval");
  });

  it("with scope always is saved with its date and applies in the next instance", {
    tags: "slow",
  }, async () => {
    await using fixture = await openFixture([always, always]);
    const first = await fixture.crib.call("test.act", { run: "npm test" });
    const second = await fixture.crib.call("test.act", { delete: "my notes.txt" });
    expect([first, second].map(({ isError }) => isError)).toEqual([false, false]);
    const minute = String.raw`\d{4}-\d\d-\d\d \d\d:\d\d UTC`;
    expect(readFileSync(fixture.granted, "utf8")).toMatch(
      new RegExp(
        `^# ${minute}, asked for by ${first.callId}\nallow run npm test by test.act\n` +
          `# ${minute}, asked for by ${second.callId}\nallow delete '${fixture.workspace}/my notes.txt' by test.act\n$`,
      ),
    );
    await using later = await fixture.reopen([]);
    const results = [
      await later.crib.call("test.act", { run: "npm test" }),
      await later.crib.call("test.act", { delete: "my notes.txt" }),
      await later.crib.call("test.act", { delete: "notes.txt" }),
    ];
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, undefined, "needs-approval"]);
    expect(later.crib.log({ limit: 3 })[2]!.decision?.source).toBe(`${later.granted}:2`);
  });

  it.each([
    ["the session", session],
    ["ever", always],
  ])(
    "with scope %s applies to a tool of another server, but not to its namesake on a third",
    async (_, answer) => {
      const source = emptySource();
      const echo = (server: string): Tool<ActInput> => ({
        ...acting,
        name: "echo",
        canonical: `${server}__echo`,
        ownName: "echo",
        server,
      });
      source.put([echo("git hub"), echo("other")]);
      await using fixture = await openFixture([answer], { sources: [source] });
      const act = async (tool: string) => (await fixture.crib.call(tool, {})).error?.code;
      expect([await act("git hub__echo"), await act("git hub__echo"), await act("other__echo")]).toEqual([
        undefined,
        undefined,
        "needs-approval",
      ]);
      expect(fixture.asked[0]!.grants).toEqual(["allow use echo of 'git hub' by echo of 'git hub'"]);
    },
  );

  it("with scope always applies to the session, with a notice, when it cannot be saved", async () => {
    await using fixture = await openFixture([always]);
    mkdirSync(join(fixture.granted, "../../.."), { recursive: true });
    writeFileSync(join(fixture.granted, "../.."), "");
    const events: CallEvent[] = [];
    fixture.crib.events.on((event) => void events.push(event));
    const results = [
      await fixture.crib.call("test.act", { run: "make" }),
      await fixture.crib.call("test.act", { run: "make" }),
    ];
    expect(results.map(({ isError }) => isError)).toEqual([false, false]);
    expect(fixture.crib.log().map(({ decision }) => decision?.answer)).toEqual([undefined, "session"]);
    expect(events.flatMap((event) => (event.type === "tool-progress" ? [event.message] : []))).toEqual([
      expect.stringMatching(/^Allowed for this session only: The folder .* cannot be created: /),
    ]);
  });

  it("passes a refusal's message to the model, or names the refused parts when there is none", async () => {
    await using fixture = await openFixture([{ allow: false, message: "Use pnpm." }, { allow: false }]);
    const errors = [
      (await fixture.crib.call("test.act", { run: "npm install" })).error,
      (await fixture.crib.call("test.act", { run: "ls | tee out" })).error,
    ];
    expect(errors).toEqual([
      {
        code: "denied",
        message: "The user refused this call and said: Use pnpm.",
        hint: "Nothing was done.",
      },
      {
        code: "denied",
        message:
          "The user refused this call: it would run `ls`, run `tee out` (mode safe asks before commands run); it would write out (mode safe asks before writing)",
        hint: "Do not repeat it. Ask the user what to do instead.",
      },
    ]);
  });

  it("is never remembered in paranoid mode or for commands that only the shell understands", async () => {
    await using paranoid = await openFixture([always, once], { mode: "paranoid" });
    const paranoidly = [await paranoid.crib.call("file.list", {}), await paranoid.crib.call("file.list", {})];
    await using fixture = await openFixture([always, always]);
    const unclear = [
      await fixture.crib.call("test.act", { run: "$CMD" }),
      await fixture.crib.call("test.act", { run: "$CMD" }),
    ];
    expect([...paranoidly, ...unclear].map(({ isError }) => isError)).toEqual([false, false, false, false]);
    expect([...paranoid.asked, ...fixture.asked].map(({ grants }) => grants)).toEqual([[], [], [], []]);
    expect([existsSync(paranoid.granted), existsSync(fixture.granted)]).toEqual([false, false]);
  });

  it("offers only scope once when the grant does not fit on one rule line", async () => {
    await using fixture = await openFixture([always, always]);
    const results = [
      await fixture.crib.call("test.act", { run: "git commit -m 'one\ntwo'" }),
      await fixture.crib.call("test.act", { delete: "a\nallow run **" }),
    ];
    expect(results.map(({ isError }) => isError)).toEqual([false, false]);
    expect(fixture.asked.map(({ grants }) => grants)).toEqual([[], []]);
  });
});

describe("an approval request", () => {
  it("is sent once when several calls need the same grant", async () => {
    await using fixture = await openFixture([session]);
    const results = await Promise.all(
      Array.from({ length: 5 }, () => fixture.crib.call("test.act", { run: "npm test" })),
    );
    expect([results.map(({ isError }) => isError), fixture.asked.length]).toEqual([Array(5).fill(false), 1]);
  });

  it("is sent once when several agents make the same call and the user refuses it", async () => {
    const refuse = async (): Promise<Approval> => {
      await new Promise(setImmediate);
      return { allow: false, message: "Not now." };
    };
    await using fixture = await openFixture([refuse, refuse]);
    const results = await Promise.all([
      ...Array.from({ length: 3 }, () => fixture.crib.call("test.act", { run: "npm test" })),
      fixture.crib.call("test.act", { run: "npm run other" }),
    ]);
    expect(results.map(({ error }) => error?.message)).toEqual(
      Array(4).fill("The user refused this call and said: Not now."),
    );
    expect(fixture.asked.length).toBe(2);
  });

  it("is sent once for equal calls that wait, and again for the next one, when the answer has scope once", async () => {
    const slowly = async (): Promise<Approval> => {
      await new Promise(setImmediate);
      return once;
    };
    await using fixture = await openFixture([slowly, slowly]);
    const call = () => fixture.crib.call("test.act", { run: "npm test" });
    const results = await Promise.all([call(), call(), call()]);
    const asked = [fixture.asked.length];
    await call();
    asked.push(fixture.asked.length);
    expect([results.map(({ error }) => error), asked]).toEqual([
      [null, null, null],
      [1, 2],
    ]);
  });

  it("does not wait for a request about something else", async () => {
    const { promise, resolve } = Promise.withResolvers<Approval>();
    await using fixture = await openFixture([
      () => promise,
      () => {
        resolve(once);
        return once;
      },
    ]);
    const results = await Promise.all(
      ["a", "b"].map((path) => fixture.crib.call("test.act", { delete: path })),
    );
    expect(results.map(({ isError }) => isError)).toEqual([false, false]);
  });

  it("ends when the call is cancelled, and so do the requests waiting behind it", async () => {
    const cancelling = new AbortController();
    await using fixture = await openFixture([
      () => {
        cancelling.abort();
        return new Promise(() => {});
      },
    ]);
    const { signal } = cancelling;
    const results = await Promise.all(
      [1, 2].map(() => fixture.crib.call("test.act", { run: "make" }, { signal })),
    );
    expect(results.map(({ error }) => error?.code)).toEqual(["cancelled", "cancelled"]);
  });

  it("denies the call when it cannot be sent", async () => {
    await using fixture = await openFixture([]);
    expect((await fixture.crib.call("test.act", { run: "make" })).error).toEqual({
      code: "needs-approval",
      message: "The user could not be asked: nobody is there",
      hint: "Nothing was done. Continue without this call, or repeat it when the user can answer.",
    });
  });

  it("accepts only a plain yes or no, and nothing else allows the call", async () => {
    const answers: unknown[] = [null, undefined, true, "yes", [], {}, { allow: "no" }, { allow: 1 }];
    await using fixture = await openFixture(answers.map((answer) => () => answer as Approval));
    for (const answer of answers)
      expect([answer, (await fixture.crib.call("test.act", { run: "make" })).error]).toEqual([
        answer,
        {
          code: "needs-approval",
          message: "The `approve` callback did not return { allow: true } or { allow: false }",
          hint: "Nothing was done. Tell the user that the approval failed.",
        },
      ]);
  });

  it("grants nothing when the answer has no known scope", async () => {
    const forever = { allow: true, remember: "forever" } as unknown as Approval;
    await using fixture = await openFixture([forever]);
    const results = [
      await fixture.crib.call("test.act", { run: "make" }),
      await fixture.crib.call("test.act", { run: "make" }),
    ];
    expect(results.map(({ error }) => error?.code)).toEqual([undefined, "needs-approval"]);
    expect(fixture.crib.log().at(-1)?.decision?.answer).toBe("once");
    expect(existsSync(fixture.granted)).toBe(false);
  });

  it("is not sent for what a rule denies, and the refusal names the rule, its location and the segment", async () => {
    await using fixture = await openFixture([], {
      rules: ["deny run rm -rf **", 'deny delete db/** because "it is live"'],
    });
    const errors = [
      (await fixture.crib.call("test.act", { run: "ls && rm -rf build | cat" })).error,
      (await fixture.crib.call("test.act", { delete: "db/users" })).error,
    ];
    expect([errors, fixture.asked]).toEqual([
      [
        {
          code: "denied",
          message: expect.stringMatching(
            /^Denied: it would run `rm -rf build`: .* \(deny run rm -rf \*\*, --rule:1\)$/,
          ),
          hint: "Do not work around it. Continue without it, or ask the user to change the rule.",
        },
        {
          code: "denied",
          message: expect.stringMatching(
            /^Denied: it would delete db\/users: .*it is live.* \(deny delete db\/\*\* because "it is live", --rule:2\)$/,
          ),
          hint: "Do not work around it. Continue without it, or ask the user to change the rule.",
        },
      ],
      [],
    ]);
  });

  it("lists only the parts that need approval when no user can answer", async () => {
    await using fixture = await openFixture("nobody", { rules: ["allow run make", "ask run git push **"] });
    const { error } = await fixture.crib.call("test.act", { run: "make | wc && git push" });
    expect(error).toMatchObject({
      code: "needs-approval",
      message: expect.stringMatching(
        /^This call needs approval: it would run `wc` \(mode safe asks before commands run\); it would run `git push`: .* \(ask run git push \*\*, --rule:2\)$/,
      ),
      hint: "The user cannot be asked here. Continue without it, or tell the user that it needs a rule or another mode.",
    });
  });
});

describe("an approved call", () => {
  it("runs as approved even if the caller changes its input in the meantime", async () => {
    const input = { run: "make", say: { deep: ["hello"] } };
    await using fixture = await openFixture([
      (request) => {
        input.run = "rm -rf /";
        input.say.deep[0] = "changed";
        (request.input as typeof input).say.deep[0] = "also changed";
        return once;
      },
    ]);
    const { content, data } = await fixture.crib.call("test.act", input);
    expect([content, data]).toEqual(['acted {"deep":["hello"]}', { run: "make", say: { deep: ["hello"] } }]);
  });

  it("is refused when the answer is for another call", async () => {
    await using fixture = await openFixture([
      { allow: true, hash: "0".repeat(64) },
      ({ hash }) => ({ allow: true, hash }),
    ]);
    const results = [
      await fixture.crib.call("test.act", { run: "make" }),
      await fixture.crib.call("test.act", { run: "make" }),
    ];
    expect(results.map(({ error }) => error)).toEqual([
      {
        code: "denied",
        message: "The call or its working directory changed after it was checked",
        hint: "Nothing was done. Repeat the call.",
      },
      null,
    ]);
  });

  it("is refused when a symlink points elsewhere by then", async () => {
    await using fixture = await openFixture([
      () => {
        rmSync(join(fixture.workspace, "folder"));
        symlinkSync("two", join(fixture.workspace, "folder"));
        return always;
      },
    ]);
    for (const name of ["one", "two"]) mkdirSync(join(fixture.workspace, name));
    symlinkSync("one", join(fixture.workspace, "folder"));
    const { error } = await fixture.crib.call("test.act", { delete: "folder/file" });
    expect([error?.code, existsSync(fixture.granted)]).toEqual(["denied", false]);
  });

  it("covers a symlink itself, not its target", async () => {
    await using fixture = await openFixture([once]);
    writeFileSync(join(fixture.workspace, "target"), "");
    symlinkSync("target", join(fixture.workspace, "link"));
    expect((await fixture.crib.call("file.delete", { path: "link" })).content).toBe(
      "Deleted the link link; its target was not deleted.",
    );
    expect(fixture.asked[0]!.grants).toEqual([`allow delete '${fixture.workspace}/link' by file.delete`]);
  });
});

describe("a file change during approval", () => {
  const meanwhile = (act: (workspace: string) => void) => async (tool: string, input: object) => {
    await using fixture = await openFixture(
      [
        ({ directory }) => {
          act(directory);
          return once;
        },
      ],
      { rules: ["ask touch **"] },
    );
    const path = join(fixture.workspace, "a.txt");
    writeFileSync(path, "one\n");
    const { error } = await fixture.crib.call(tool, input);
    return { error, text: existsSync(path) && readFileSync(path, "utf8") };
  };
  const stale = {
    code: "stale",
    message: "The files of this call changed while it waited for approval",
    hint: "Nothing was done. Read them again, then repeat the call.",
  };

  it("makes the call stale and leaves the newly saved file alone", async () => {
    const saving = meanwhile((workspace) => writeFileSync(join(workspace, "a.txt"), "mine, longer\n"));
    for (const [tool, input] of [
      ["file.write", { path: "a.txt", content: "two\n" }],
      ["file.delete", { path: "a.txt" }],
      ["edit.replace", { path: "a.txt", find: "one", replace: "two" }],
    ] as const)
      expect(await saving(tool, input)).toEqual({ error: stale, text: "mine, longer\n" });
  });

  it("does not stop the call when it affects other files only", async () => {
    const saving = meanwhile((workspace) => writeFileSync(join(workspace, "b.txt"), "mine"));
    expect(await saving("file.write", { path: "a.txt", content: "two\n" })).toEqual({
      error: null,
      text: "two\n",
    });
  });
});

describe("a symlink", () => {
  it("does not bypass a deny rule, an ask rule or a rule for some tools only", async () => {
    const rules = ["ask read plans/**", "deny read drafts/** by file.read", "deny write drafts/**"];
    await using fixture = await openFixture("nobody", { rules });
    for (const name of ["plans", "drafts"]) mkdirSync(join(fixture.workspace, name));
    for (const name of ["plans/a", "drafts/a", ".env"]) {
      writeFileSync(join(fixture.workspace, name), "content\n");
      symlinkSync(name, join(fixture.workspace, `to ${name.replace("/", " ")}`));
    }
    const act = async (tool: string, input: object) => (await fixture.crib.call(tool, input)).error?.code;
    expect([
      await act("file.read", { path: "to plans a" }),
      await act("file.read", { path: "to drafts a" }),
      await act("file.read", { path: "to .env" }),
      await act("file.write", { path: "to drafts a", content: "" }),
      await act("search.grep", { path: "to drafts a", pattern: "content" }),
    ]).toEqual(["needs-approval", "denied", "denied", "denied", undefined]);
    await using plain = await openFixture("nobody");
    writeFileSync(join(plain.workspace, ".env"), "KEY=1\n");
    symlinkSync(".env", join(plain.workspace, "link"));
    expect((await plain.crib.call("file.read", { path: "link" })).error?.code).toBe("denied");
  });
});

describe("the approval preview", () => {
  const previewing = (preview: Tool["preview"]): Tool => ({ ...(acting as Tool), preview: preview! });

  it("shows what an edit would change, next to the rule that asks", async () => {
    await using fixture = await openFixture([once], { rules: ["ask write **"] });
    writeFileSync(join(fixture.workspace, "a.txt"), "one\n");
    await fixture.crib.call("edit.replace", { path: "a.txt", find: "one", replace: "two" });
    const { preview, rule, source } = fixture.asked[0]!;
    expect({ preview, rule, source }).toEqual({
      preview: "--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n",
      rule: "ask write **",
      source: "--rule:1",
    });
    expect(readFileSync(join(fixture.workspace, "a.txt"), "utf8")).toBe("two\n");
  });

  it("reports why it failed, changes nothing and does not block the request", async () => {
    const tries: Tool["preview"][] = [
      async () => {
        throw new Error("no idea");
      },
      async (_input, { environment }) => {
        await environment.writeFile("made", new Uint8Array());
        return "made";
      },
      async (_input, { environment }) => `${(await environment.info(".")).kind}`,
      async () => `${"long line\n".repeat(1000)}`,
    ];
    const previews: unknown[] = [];
    for (const preview of tries) {
      await using fixture = await openFixture([once], { tools: [previewing(preview)] });
      const { isError } = await fixture.crib.call("test.act", { run: "make" });
      previews.push([isError, existsSync(join(fixture.workspace, "made")), fixture.asked[0]!.preview]);
    }
    expect(previews).toEqual([
      [false, false, "The preview failed: no idea"],
      [false, false, "The preview failed: A preview must not change anything"],
      [false, false, "directory"],
      [
        false,
        false,
        `${"long line\n".repeat(200)}[… 600 lines are not shown …]\n${"long line\n".repeat(200)}`,
      ],
    ]);
  });

  it("is skipped when it takes too long", { tags: "slow" }, async () => {
    await using fixture = await openFixture([once], { tools: [previewing(() => new Promise(() => {}))] });
    const { isError } = await fixture.crib.call("test.act", { run: "make" });
    expect([isError, fixture.asked[0]!.preview]).toEqual([
      false,
      "The preview failed: it took longer than 2 s",
    ]);
  });
});

it("applies a new mode from the next call on", async () => {
  await using fixture = await openFixture("nobody", { mode: "safe" });
  const write = async (path: string) =>
    (await fixture.crib.call("file.write", { path, content: "x" })).error?.code ?? "passed";
  const before = await write("a.txt");
  fixture.crib.setMode("cautious");
  const after = await write("a.txt");
  expect(() => fixture.crib.setMode("brave" as never)).toThrow("Unknown mode: brave");
  expect([before, after, fixture.crib.mode]).toEqual(["needs-approval", "passed", "cautious"]);
});
