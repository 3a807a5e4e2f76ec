import { existsSync, readdirSync } from "node:fs";
import { homedir } from "node:os";
import { dirname } from "node:path";
import { expect, it } from "vitest";
import { missingHere, textOf } from "../../../test/support/sandbox-fixture.ts";
import type { SandboxReport } from "../../contract/environment.ts";
import { openLocalEnvironment } from "../../environment/local/local-environment.ts";
import { openToolcrib } from "../../toolcrib/index.ts";
import { secretsCanBeRead, signalsPass } from "../landlock/rules.ts";
import { type Attack, attacks } from "./attacks.ts";
import { type Lab, openLab } from "./lab.ts";
import { LabMachine, proveBoundary } from "./prove-boundary.ts";

const nothingHeld: SandboxReport = { level: "none", missing: [], gaps: ["Nothing is held."] };

/** Runs commands without any sandbox. */
function withoutSandbox({ workspace }: Lab) {
  const environment = openLocalEnvironment({ workspace });
  const run = async (command: string) => {
    const program = await environment.start("/bin/bash", {
      args: ["-c", command],
      signal: new AbortController().signal,
    });
    await Promise.all([textOf(program.stdout), textOf(program.stderr), program.exit]);
  };
  return { run, [Symbol.asyncDispose]: () => environment.close() };
}

/** The only gaps that an attack may go through, where the kernel has them. */
const gapsOf = { bwrap: [], landlock: [secretsCanBeRead, signalsPass] } as const;

for (const level of ["bwrap", "landlock"] as const) {
  const missing = await missingHere(level);
  it.skipIf(missing !== undefined)(`finds open only what ${level} does not promise`, async () => {
    await using lab = await openLab();
    await using crib = await openToolcrib({
      workspace: lab.workspace,
      stateDirectory: lab.state,
      configDirectory: lab.config,
      sandbox: level,
      approve: () => ({ allow: true }),
    });
    const report = await crib.sandbox();
    const run = async (command: string) => void (await crib.call("shell.run", { command }));
    const proofs = await proveBoundary({ machine: new LabMachine(lab), run, report });
    const gaps: readonly string[] = gapsOf[level];
    expect(proofs).toEqual(
      attacks.map(({ promise, gap }) =>
        gap !== undefined && gaps.includes(gap) && report.gaps.includes(gap)
          ? { promise, outcome: "not promised", reason: gap }
          : { promise, outcome: "enforced" },
      ),
    );
  });
}

it("reports open attacks without a sandbox, so the attacks are real", { tags: "slow" }, async () => {
  await using lab = await openLab();
  await using commands = withoutSandbox(lab);
  const machine = new LabMachine(lab);
  const report = { ...nothingHeld, level: "bwrap" } as const;
  const proofs = await proveBoundary({ machine, run: commands.run, report });
  // Omits attacks whose outcome depends on this machine's privileges or on a race.
  const surely = proofs.filter(
    ({ promise }) => !/system|namespace|mounted|traced|memory|clearing/.test(promise),
  );
  const isHeldAlways = new Map(attacks.map(({ promise, isAlwaysPromised }) => [promise, isAlwaysPromised]));
  expect(surely).toEqual(
    surely.map(({ promise }) => ({ promise, outcome: isHeldAlways.get(promise) ? "enforced" : "open" })),
  );
});

it("tries only the promised attacks without a sandbox", async () => {
  await using lab = await openLab();
  await using commands = withoutSandbox(lab);
  const proofs = await proveBoundary({
    machine: new LabMachine(lab),
    run: commands.run,
    report: nothingHeld,
  });
  expect(proofs).toEqual(
    attacks.map(({ promise, isAlwaysPromised }) =>
      isAlwaysPromised
        ? { promise, outcome: "enforced" }
        : { promise, outcome: "not promised", reason: "Nothing is held." },
    ),
  );
});

it("reports what a level does not promise, and what cannot be tried", async () => {
  await using lab = await openLab();
  await using commands = withoutSandbox(lab);
  const common = { script: () => "cat .env", hasSucceeded: () => true };
  const attacks: readonly Attack[] = [
    { ...common, promise: "One thing", gap: "As everybody knows." },
    { ...common, promise: "Another thing", gap: "As nobody knows." },
    { ...common, promise: "The home directory", needs: "home" },
  ];
  const proofs = await proveBoundary({
    machine: new LabMachine({ ...lab, home: undefined }, attacks),
    run: commands.run,
    report: { level: "landlock", missing: [], gaps: ["As everybody knows."] },
    attacks,
  });
  expect(proofs).toEqual([
    { promise: "One thing", outcome: "not promised", reason: "As everybody knows." },
    { promise: "Another thing", outcome: "open" },
    {
      promise: "The home directory",
      outcome: "not tried",
      reason: "The home directory cannot be written.",
    },
  ]);
});

it("leaves nothing behind", async () => {
  const lab = await openLab();
  const { workspace, home, victim, mark } = lab;
  const ended = new Promise((resolve) => victim.once("exit", resolve));
  await lab[Symbol.asyncDispose]();
  await ended;
  expect({
    workspace: existsSync(dirname(workspace)),
    home: home === undefined ? [] : readdirSync(homedir()).filter((name) => home.endsWith(name)),
    variables: Object.values(process.env).filter((value) => value === lab.canary),
    system: ["/etc", "/usr"].filter((folder) => readdirSync(folder).includes(mark)),
  }).toEqual({ workspace: false, home: [], variables: [], system: [] });
});
