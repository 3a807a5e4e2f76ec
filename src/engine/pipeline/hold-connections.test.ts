import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { missingHere } from "../../../test/support/sandbox-fixture.ts";
import { type TemporaryToolcrib, temporaryToolcrib } from "../../../test/support/temporary-toolcrib.ts";
import type { Approval, ApprovalRequest } from "../approvals/approval-request.ts";

interface Ran {
  readonly stdout: string;
  readonly remarks: readonly string[];
}

/** An instance in mode cautious, with the questions that its user got. */
async function opened(
  answer: (request: ApprovalRequest, signal: AbortSignal) => Promise<Approval> | Approval,
  options: Parameters<typeof temporaryToolcrib>[0] = {},
) {
  const asked: ApprovalRequest[] = [];
  const made: TemporaryToolcrib = await temporaryToolcrib({
    mode: "cautious",
    approve: (request, signal) => {
      asked.push(request);
      return answer(request, signal);
    },
    ...options,
  });
  return {
    crib: made.crib,
    asked,
    hosts: () => asked.flatMap(({ accesses }) => accesses.map((one) => "host" in one && one.host)),
    run: async (command: string, input: object = {}): Promise<Ran> => {
      const { data, error } = await made.crib.call("shell.run", { command, ...input });
      if (error) throw new Error(error.message);
      return data as Ran;
    },
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

setFlagsFromString("--expose-gc");
const collectGarbage: () => void = runInNewContext("gc");

/** Connects to a host that no word of the command names, and prints the status of the answer: 502 for an unknown name. */
const connectTo = (...names: readonly string[]) =>
  `for name in ${names.join(" ")}; do curl -s -o /dev/null -w '%{http_code}\\n' http://$name.invalid/; done`;

describe.skipIf(await missingHere("bwrap"))("a command that connects to a host that no rule is about", () => {
  it("runs without a question until it connects, and asks about the host alone", async () => {
    await using crib = await opened(({ accesses }) => ({ allow: JSON.stringify(accesses).includes("yes") }));
    const { stdout, remarks } = await crib.run(connectTo("yes", "no", "yes"));
    expect(stdout).toBe("502\n403\n502\n");
    expect(crib.hosts()).toEqual(["yes.invalid", "no.invalid"]);
    expect(crib.asked[0]!.grants).toEqual(["allow connect yes.invalid by shell.run"]);
    expect(remarks.join("\n")).toContain("no.invalid");
  });

  it("remembers an answer for the session, and records it with the call", async () => {
    await using crib = await opened(() => ({ allow: true, remember: "session" }));
    await crib.run(connectTo("a"));
    await crib.run(connectTo("a"));
    expect(crib.hosts()).toEqual(["a.invalid"]);
    const first = crib.crib.log().at(-1);
    expect(JSON.stringify(first)).toContain("connecting to a.invalid was approved (session)");
  });

  it("does not ask where a rule denies, or where no user can be asked", async () => {
    await using denied = await opened(() => ({ allow: true }), { rules: ["deny connect *.invalid"] });
    expect((await denied.run(connectTo("a"))).stdout).toBe("403\n");
    expect(denied.asked).toEqual([]);
    await using alone = await temporaryToolcrib({ mode: "cautious" });
    const { data } = await alone.crib.call("shell.run", { command: connectTo("a") });
    expect((data as Ran).stdout).toBe("403\n");
    expect((data as Ran).remarks.join("\n")).toContain("allow connect a.invalid");
  });

  it("does not count the time of the answer as time of the command", { tags: "slow" }, async () => {
    await using crib = await opened(async () => {
      await setTimeout(1200);
      return { allow: true };
    });
    expect((await crib.run(connectTo("slow"), { timeout_ms: 1000 })).stdout).toBe("502\n");
  });

  it("asks for each command of a shell by itself, and for nothing that goes on after its call", {
    tags: "slow",
  }, async () => {
    await using crib = await opened(() => ({ allow: true }));
    const later = `(sleep 0.5; ${connectTo("later")} > later) & ${connectTo("first")}`;
    expect((await crib.run(later, { session: "main" })).stdout).toBe("502\n");
    await setTimeout(1000);
    expect((await crib.run("cat later", { session: "main" })).stdout).toBe("403\n");
    expect((await crib.run(connectTo("second"), { session: "main" })).stdout).toBe("502\n");
    expect(crib.hosts()).toEqual(["first.invalid", "second.invalid"]);
  });

  it("keeps nothing of a shell that has ended", { tags: "slow" }, async () => {
    await using crib = await opened(() => ({ allow: false }));
    const callIn = async (session: string) => {
      const onEvent = () => {};
      await crib.crib.call("shell.run", { command: "true", session }, { onEvent });
      return new WeakRef(onEvent);
    };
    const ended = await callIn("a");
    expect((await crib.crib.call("process.stop", { name: "a" })).error).toBeNull();
    await callIn("b");
    const isCollected = () => {
      collectGarbage();
      return ended.deref() === undefined;
    };
    await expect.poll(isCollected, { timeout: 5_000 }).toBe(true);
  });

  it("withdraws a question whose command has ended, and asks about ten hosts at most", {
    tags: "slow",
  }, async () => {
    const withdrawn = Promise.withResolvers<void>();
    await using crib = await opened((_, signal) => {
      signal.addEventListener("abort", () => withdrawn.resolve());
      return new Promise(() => {});
    });
    await crib.run(`timeout 0.5 sh -c '${connectTo("a").replaceAll("'", '"')}'; true`);
    await withdrawn.promise;
    await using many = await opened(() => ({ allow: false }));
    await many.run(connectTo(..."abcdefghijklmno"));
    expect(many.asked.length).toBe(10);
  });

  it("asks the user about the host, also when a hook has allowed the command", async () => {
    const answer = '{"hookSpecificOutput": {"permissionDecision": "allow"}}';
    await using crib = await opened(() => ({ allow: false }), {
      commandHooks: [{ event: "PreToolUse", command: `echo '${answer}'`, from: "user", source: "test" }],
      rules: ["ask run curl **"],
    });
    expect((await crib.run(connectTo("exfil"))).stdout).toBe("403\n");
    expect(crib.hosts()).toEqual(["exfil.invalid"]);
    expect(JSON.stringify(crib.crib.log().at(-1))).not.toContain("was approved");
  });

  it("never asks about a port of the machine", async () => {
    await using crib = await opened(() => ({ allow: true }));
    const given = "curl -s -o /dev/null -w '%{http_code}' --noproxy '' http://127.0.0.$((1)):1/";
    expect((await crib.run(given)).stdout).toBe("403");
    expect(crib.asked).toEqual([]);
  });
});
