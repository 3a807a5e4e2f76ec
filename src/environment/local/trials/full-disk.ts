/** Tries to write more than the limit allows. Arguments: the workspace. Prints the errors as JSON. */
import { ToolError } from "../../../contract/error.ts";
import { openLocalEnvironment } from "../local-environment.ts";

const environment = openLocalEnvironment({ workspace: process.argv[2]! });
const failures: object[] = [];
for (const path of ["old", "new/folder/file"]) {
  try {
    await environment.writeFile(path, Buffer.alloc(100_000, "x"));
    failures.push({});
  } catch (error) {
    if (!(error instanceof ToolError)) throw error;
    failures.push({ code: error.code, message: error.message, hint: error.hint });
  }
}
process.stdout.write(JSON.stringify(failures));
