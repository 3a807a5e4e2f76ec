import { isSameContent } from "../entry-states.ts";
import { isAccepted, type Net, type Phase } from "./net-changes.ts";
import type { Present } from "./plan-undo.ts";

/** Takes a file that was moved, and then changed by somebody else, for one that was moved as it is now. */
export function carryBack(phases: readonly Phase[], present: Present): readonly Phase[] {
  return phases.map(({ nets, move }) => {
    const carried = new Map(nets.flatMap((net) => carry(net, nets, present)));
    return { nets: nets.map((net) => carried.get(net) ?? net), move };
  });
}

/** What is to be taken for what: the name it was moved to, and the one it came from. */
function carry(net: Net, nets: readonly Net[], present: Present): readonly (readonly [Net, Net])[] {
  const [arrival, ...older] = net.pieces;
  const origin = nets.find(({ path }) => path === arrival?.movedFrom);
  const [departure, ...earlier] = origin?.pieces ?? [];
  if (!arrival || !origin || !departure || older.length > 0 || earlier.length > 0) return [];
  const now = net.present === undefined ? undefined : present.state(net.present);
  const isChanged = now && "kind" in now && now.kind === "file" && !isAccepted(now, arrival);
  if (!isChanged || !isSameContent(arrival.after, departure.before)) return [];
  return [
    [net, { ...net, pieces: [{ ...arrival, after: now, accepted: [now] }] }],
    [origin, { ...origin, pieces: [{ ...departure, before: now }] }],
  ];
}
