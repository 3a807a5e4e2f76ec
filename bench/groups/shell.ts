import type { Group } from "../harness.ts";
export const group: Group = { needs: [], cases: [] };
