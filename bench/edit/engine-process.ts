import { runEngine } from "./engine-lane.ts";

// The process of one engine: node engine-process.ts <engine> <module or ""> <class or "">. Started by
// measure-edits.ts.

const [name, module, kind] = process.argv.slice(2);
const report = await runEngine(name!, { module: module || undefined, kind });
process.send!(report, () => process.exit(0));
