import { risks, type ToolRisk } from "../../contract/access.ts";

export function harm(risk: ToolRisk): number {
  return risks.indexOf(risk);
}

export function worse(one: ToolRisk, other: ToolRisk): ToolRisk {
  return harm(one) >= harm(other) ? one : other;
}
