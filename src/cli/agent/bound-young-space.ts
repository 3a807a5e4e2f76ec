import type { Session } from "../../agent/session.ts";

/**
 * Keeps the room for young objects small while a session goes on. Where there is much memory, Node lets it grow to 128 MB; what
 * a long conversation makes, a request after the other, is dead as soon as it was sent, and fills whatever there is.
 */
export function boundYoungSpace(session: Pick<Session, "on">): void {
  const stop = session.on(({ type }) => {
    if (type !== "round-start") return;
    // Loaded here, because nothing before the first request needs it.
    const { getHeapSpaceStatistics, setFlagsFromString } = process.getBuiltinModule("node:v8");
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === "new_space");
    if (young === undefined || young.space_size < enoughBytes) return;
    setFlagsFromString("--semi-space-growth-factor=1");
    stop();
  });
}

const enoughBytes = 8 * 1024 ** 2;
