import type { ProcessStatus } from "../../contract/process.ts";

/** One line about a process: "web is ready for 2 min: 127.0.0.1:3000. Waits for input." */
export function describeProcess(status: ProcessStatus): string {
  return [`${status.name} ${describeState(status)}${describePorts(status)}.`, ...describeStall(status)].join(
    " ",
  );
}

function describeState({ kind, state, exitCode, signal, durationMs }: ProcessStatus): string {
  const time = showDuration(durationMs);
  if (kind === "shell" && state !== "ended") return `is a shell, open for ${time}`;
  switch (state) {
    case "starting":
      return `runs for ${time}, not ready yet`;
    case "ready":
      return `runs for ${time} and is ready`;
    case "running":
      return `runs for ${time}`;
    case "ended": {
      if (signal !== null) return `was ended by ${signal} after ${time}`;
      return `ended after ${time}${exitCode === null ? "" : ` with exit code ${exitCode}`}`;
    }
  }
}

/** A port of its own is not always the port by which it is reached from outside the sandbox. */
function describePorts({ ports, state }: ProcessStatus): string {
  if (ports.length === 0 || state === "ended") return "";
  const places = ports.map(({ port, address }) =>
    address.endsWith(`:${port}`) ? address : `port ${port} at ${address}`,
  );
  return `: ${places.join(", ")}`;
}

/** What looks as if it goes no further. */
function describeStall({ state, quietMs, waitsForInput }: ProcessStatus): string[] {
  if (state === "ended") return [];
  const stall: string[] = [];
  if (quietMs >= stallMs) stall.push(`It has said nothing for ${showDuration(quietMs)}.`);
  if (waitsForInput) stall.push("It waits for input.");
  return stall;
}

const stallMs = 60_000;

function showDuration(ms: number): string {
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 120_000) return `${Math.round(ms / 1000)} s`;
  if (ms < 7_200_000) return `${Math.round(ms / 60_000)} min`;
  return `${(ms / 3_600_000).toFixed(1)} h`;
}
