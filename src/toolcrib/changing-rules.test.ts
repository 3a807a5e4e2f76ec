import { describe, expect, it } from "vitest";
import { temporaryToolcrib } from "../../test/support/temporary-toolcrib.ts";
import type { Approve } from "./index.ts";

/** An approver that never answers, and resolves `asked` when it is asked. */
function silentApprover() {
  const asked = Promise.withResolvers<AbortSignal>();
  const approve: Approve = (_, signal) => {
    asked.resolve(signal);
    return new Promise(() => {});
  };
  return { approve, asked: asked.promise };
}

const write = ["file.write", { path: "a.txt", content: "a\n" }] as const;

describe("a call that waits for an answer", () => {
  it("runs when the mode allows it, and its question is withdrawn", async () => {
    const { approve, asked } = silentApprover();
    await using made = await temporaryToolcrib({ mode: "safe", approve });
    const call = made.crib.call(...write);
    const signal = await asked;
    made.crib.setMode("yolo");
    expect([(await call).error, made.read("a.txt"), signal.aborted]).toEqual([null, "a\n", true]);
  });

  it("runs when a new rule allows it", async () => {
    const { approve, asked } = silentApprover();
    await using made = await temporaryToolcrib({ mode: "safe", approve });
    const call = made.crib.call(...write);
    await asked;
    made.crib.setRules(["allow write a.txt"]);
    expect([(await call).error, made.read("a.txt")]).toEqual([null, "a\n"]);
  });

  it("is refused when a new rule denies it", async () => {
    const { approve, asked } = silentApprover();
    await using made = await temporaryToolcrib({ mode: "safe", approve });
    const call = made.crib.call(...write);
    await asked;
    made.crib.setRules(["deny write a.txt"]);
    expect((await call).error?.code).toBe("denied");
  });
});

describe("setRules", () => {
  it("replaces the rules of the options", async () => {
    await using made = await temporaryToolcrib({ mode: "yolo", rules: ["deny write a.txt"] });
    const { crib } = made;
    const before = await crib.call(...write);
    crib.setRules(["deny write b.txt"]);
    const after = await crib.call(...write);
    const other = await crib.call("file.write", { path: "b.txt", content: "b" });
    crib.setRules([]);
    const last = await crib.call("file.write", { path: "b.txt", content: "b" });
    expect([before, after, other, last].map(({ error }) => error?.code)).toEqual([
      "denied",
      undefined,
      "denied",
      undefined,
    ]);
  });

  it("refuses rules that cannot be parsed, and keeps the others", async () => {
    await using made = await temporaryToolcrib({ mode: "yolo", rules: ["deny write a.txt"] });
    expect(() => made.crib.setRules(["forbid everything"])).toThrow();
    expect(() => made.crib.setRules("deny write b.txt" as never)).toThrow("must be a list of strings");
    expect((await made.crib.call(...write)).error?.code).toBe("denied");
  });
});
