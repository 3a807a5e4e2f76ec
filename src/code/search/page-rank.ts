/** `weight` is a share of all that leads away from `from`; what is missing leads anywhere. */
export interface Link {
  readonly from: number;
  readonly to: number;
  readonly weight: number;
}

/** How often each is met by who follows links at random, and now and then begins anywhere. Adds up to 1. */
export function pageRank(count: number, links: readonly Link[]): Float64Array {
  let ranks = new Float64Array(count).fill(1 / count);
  const leadsAway = new Float64Array(count);
  for (const { from, weight } of links) leadsAway[from]! += weight;
  for (let round = 0; round < rounds; round += 1) {
    let lost = 0;
    ranks.forEach((rank, place) => {
      lost += rank * (1 - leadsAway[place]!);
    });
    const next = new Float64Array(count).fill((1 - follows + follows * lost) / count);
    for (const { from, to, weight } of links) next[to]! += follows * ranks[from]! * weight;
    ranks = next;
  }
  return ranks;
}

const rounds = 30;
const follows = 0.85;
