import type { ProjectIndex } from "../../contract/code.ts";
import type { ToolContext } from "../../contract/tool.ts";

/** Waits longer than an index does by itself where most of it would be missing, or will be there soon. */
export async function patientIndex({ code, signal, progress }: ToolContext): Promise<ProjectIndex> {
  const ask = () => code.index({ signal, progress: (message) => progress(message) });
  let index = await ask();
  for (let asked = 1; asked < mostAsked; asked += 1) {
    const { files, indexed, isBuilding } = index.state;
    if (!isBuilding || indexed === files || (files > fewFiles && indexed > files / 2)) break;
    index = await ask();
  }
  return index;
}

const mostAsked = 5;
const fewFiles = 2000;
