/** How often a property is tested. FC_TIMES multiplies it, for longer runs with other seeds (FC_SEED). */
export function runs(count: number): number {
  return count * Number(process.env.FC_TIMES ?? 1);
}
