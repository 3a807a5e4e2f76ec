/** How often a property is tried. FC_TIMES multiplies it, for a longer look with other seeds (FC_SEED). */
export function runs(count: number): number {
  return count * Number(process.env.FC_TIMES ?? 1);
}
