import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { done, stageCall } from "../../../test/support/stages/stage-call.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import type { Outcome } from "../../contract/call.ts";
import { ToolError } from "../../contract/error.ts";
import { Journal } from "../../journal/journal.ts";
import type { Next } from "../stage.ts";
import { recordJournal } from "./record-journal.ts";

function openJournal() {
  const folder = temporaryFolder();
  const journal = new Journal({ file: join(folder.path, "journal.sqlite"), session: "session_1" });
  return {
    journal,
    stage: recordJournal(journal),
    async [Symbol.asyncDispose]() {
      journal.close();
      await folder[Symbol.asyncDispose]();
    },
  };
}

describe("recordJournal", () => {
  it("records a call that may change something before it runs, and again when it ends", async () => {
    await using opened = openJournal();
    const { journal, stage } = opened;
    let during: unknown;
    await stage(stageCall({ input: { path: "a" } }), async () => {
      during = journal.find("call_1")?.outcome;
      return done;
    });
    expect([during, journal.find("call_1")]).toEqual([
      null,
      expect.objectContaining({ tool: "file.write", input: { path: "a" }, outcome: "ok" }),
    ]);
  });

  it("records a read-only call when it ends", async () => {
    await using opened = openJournal();
    const { journal, stage } = opened;
    let during: unknown = "not looked at";
    await stage(stageCall({ tool: { canonical: "file.read", risk: "read" } }), async () => {
      during = journal.find("call_1");
      return done;
    });
    expect([during, journal.find("call_1")?.outcome]).toEqual([undefined, "ok"]);
  });

  it("records the code, message and decision of a failed call, and returns its outcome", async () => {
    await using opened = openJournal();
    const { journal, stage } = opened;
    const details = { kind: "no-repository" } as const;
    const failure: Outcome = { ok: false, error: new ToolError("denied", "No", { details }) };
    const decision = { verdict: "deny", rule: "deny write a", source: "rules:1", reason: "no" } as const;
    const outcome = await stage(stageCall(), async ({ account }) => {
      account.decision = decision;
      return failure;
    });
    const record = journal.find("call_1");
    expect(outcome).toBe(failure);
    expect(record).toMatchObject({ outcome: "denied", message: "No", decision });
    expect(JSON.stringify(record)).not.toContain(details.kind);
  });

  it("does not run a call that cannot be recorded", async () => {
    await using opened = openJournal();
    const { journal, stage } = opened;
    journal.begin = () => {
      throw new ToolError("unavailable", "The disk is full");
    };
    const next = vi.fn<Next>();
    const outcome = await stage(stageCall(), next);
    expect(outcome).toMatchObject({ ok: false, error: { code: "unavailable" } });
    expect(next).not.toHaveBeenCalled();
  });
});
