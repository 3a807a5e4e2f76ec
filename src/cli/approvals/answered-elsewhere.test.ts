/** @module-tag slow */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { cliWithModel } from "../../../test/support/cli-with-model.ts";
import { type CliWorkspace, cliWorkspace } from "../../../test/support/cli-workspace.ts";
import { hasTerminals } from "../../../test/support/pseudo-terminal.ts";
import { attachSession } from "../../agent/live/attach-session.ts";
import type { PendingApproval } from "../../toolcrib/index.ts";

async function pendingIn({ run }: CliWorkspace): Promise<PendingApproval> {
  const listed = await vi.waitFor(
    async () => {
      const found: readonly PendingApproval[] = JSON.parse((await run("approve", "--json")).stdout);
      expect(found).toHaveLength(1);
      return found;
    },
    { timeout: 20_000 },
  );
  return listed[0]!;
}

const enter = "\r";
const remove = (path: string) => ({ calls: [{ name: "exec_command", input: { cmd: `rm ${path}` } }] });

if (!hasTerminals) it.skip("on a terminal (skipped: `script` of util-linux is missing)", () => {});
else
  describe("a question on a terminal", () => {
    it("of a chat goes away when it is answered elsewhere, and other programs can send messages", {
      tags: "slow",
    }, async () => {
      await using fixture = await cliWithModel(({ messages }) => {
        const { role, text } = messages.at(-1)!;
        if (role !== "user") return { text: `Result: ${text.slice(0, 60)}.` };
        return text.includes("remove") ? remove("x") : { text: `Heard:${text}.` };
      });
      fixture.write("x", "");
      await using terminal = fixture.emulate(["chat", "--mode", "safe"], { rows: 40, columns: 100 });
      await terminal.shows("· safe");
      terminal.type(`remove x${enter}`);
      await terminal.shows("[y]es once");
      const { id, session, client } = await pendingIn(fixture);
      const listed = await fixture.run("approve");
      expect([client, listed.stdout.includes("  chat  process.start  ")]).toEqual([{ kind: "chat" }, true]);
      await fixture.run("approve", id, "--deny", "Keep", "it.");
      const refused = await terminal.shows("said: Keep it.");
      expect(refused).toContain("Denied, answered elsewhere.");
      expect(refused).not.toContain("[y]es once");
      const attached = (await vi.waitFor(
        async () => {
          const found = await attachSession(session, { state: fixture.home });
          expect(found?.hello.state).toBe("idle");
          return found;
        },
        { timeout: 60_000 },
      ))!;
      await attached.steer("!rm x");
      await terminal.shows("Heard: !rm x.");
      await attached.stop();
      await attached.ended;
      await terminal.exit;
      expect(existsSync(join(fixture.workspace, "x"))).toBe(true);
    });

    it("of a single call is answered by the first answer", async () => {
      await using fixture = cliWorkspace();
      fixture.write("a.txt", "one\n");
      await using terminal = fixture.emulate(["call", "file.delete", "a.txt", "--mode", "safe"]);
      await terminal.shows("[y]es once");
      const { id } = await pendingIn(fixture);
      const { exit, stdout, stderr } = await fixture.run("approve", id, "--yes");
      expect([exit, stdout], stderr).toEqual([0, "Allowed once. The waiting call continues.\n"]);
      expect([await terminal.exit, terminal.screen]).toEqual([
        0,
        expect.stringMatching(/\nAllowed, answered elsewhere\.\nDeleted the file a\.txt \(4 bytes\)\.$/),
      ]);
      expect((await fixture.run("approve", id, "--yes")).stderr).toContain("is pending");
    });
  });
