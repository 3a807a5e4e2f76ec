import { describe, expect, it } from "vitest";
import { cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { missingHere } from "../../../test/support/sandbox-fixture.ts";
import { secretsCanBeRead } from "../../sandbox/landlock/rules.ts";
import { attacks } from "../../sandbox/proof/attacks.ts";
import { examineSandbox } from "./examine-sandbox.ts";
import type { Finding } from "./finding.ts";

const missing = { bwrap: await missingHere("bwrap"), landlock: await missingHere("landlock") };

const unwatched = { signal: new AbortController().signal, progress: () => {} };

function enforced(promise: string): Finding {
  return { about: "boundary", state: "well", message: `enforced: ${promise}` };
}

describe("toolcrib doctor tests the sandbox boundary", () => {
  it.skipIf(missing.bwrap !== undefined)(
    "of bubblewrap, and reports that all is enforced",
    { tags: "slow" },
    async () => {
      await using opened = cliWorkspace();
      const { exit, stdout, stderr } = await opened.runProcess("doctor", "--json", "--sandbox", "bwrap");
      const { findings, sandbox } = JSON.parse(stdout);
      expect({ exit, stderr, level: sandbox.level, findings: ofBoundary(findings) }).toEqual({
        exit: 0,
        stderr: "",
        level: "bwrap",
        findings: [
          { about: "sandbox", state: "well", message: "bwrap" },
          ...attacks.map(({ promise }) => enforced(promise)),
        ],
      });
    },
  );

  it.skipIf(missing.landlock !== undefined)(
    "of Landlock, and reports what it does not promise",
    { tags: "slow" },
    async () => {
      const { findings, sandbox, boundary } = await examineSandbox({ want: "landlock", ...unwatched });
      const gaps = sandbox?.gaps ?? [];
      const isOpen = ({ gap }: { readonly gap?: string }) => gap !== undefined && gaps.includes(gap);
      expect(boundary).toEqual(
        attacks.map((attack) =>
          isOpen(attack)
            ? { promise: attack.promise, outcome: "not promised", reason: attack.gap }
            : { promise: attack.promise, outcome: "enforced" },
        ),
      );
      expect(findings.filter(({ state }) => state === "wrong")).toEqual([]);
      const [first, ...others] = findings.filter(({ state }) => state === "note");
      expect(first).toEqual({
        about: "sandbox",
        state: "note",
        message: "landlock, which is weaker than bwrap: commands can read secrets in the workspace",
        hint: "bwrap enforces more: toolcrib doctor --sandbox bwrap",
      });
      expect(others.map(({ message, hint }) => hint ?? message).sort()).toEqual([...gaps].sort());
      expect(gaps).toContain(secretsCanBeRead);
    },
  );

  it("of a requested sandbox that is not available, and reports a problem", async () => {
    const want = process.platform === "darwin" ? "landlock" : "seatbelt";
    expect(await examineSandbox({ want, ...unwatched })).toEqual({
      sandbox: null,
      boundary: [],
      findings: [
        {
          about: "sandbox",
          state: "wrong",
          message: `The sandbox "${want}" is not available. There is no such sandbox for ${process.platform}.`,
          hint: 'Use "auto" for the strongest sandbox that works here.',
        },
      ],
    });
  });
});

function ofBoundary(findings: readonly Finding[]): readonly Finding[] {
  return findings.filter(({ about }) => about === "sandbox" || about === "boundary");
}
