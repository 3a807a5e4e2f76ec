import { build } from "rolldown";
import { targetPrograms } from "../../../scripts/build-target.ts";

/** node build-programs.ts FOLDER [SERVER]: bundles the programs for targets, with another server. */
const [folder = "", server] = process.argv.slice(2);
await build(targetPrograms(folder, server));
