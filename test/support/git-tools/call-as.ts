import { type CallResult, openToolcrib } from "../../../src/toolcrib/index.ts";

/** Makes calls as the user whose home is in its environment: one request per message, answered with the results. */
interface Request {
  readonly workspace: string;
  readonly home: string;
  readonly calls: readonly (readonly [tool: string, input: object])[];
}

process.on("message", async ({ workspace, home, calls }: Request) => {
  const crib = await openToolcrib({
    workspace,
    stateDirectory: `${home}/state`,
    configDirectory: `${home}/config`,
    mode: "cautious",
  });
  const results: CallResult[] = [];
  for (const [tool, input] of calls) results.push(await crib.call(tool, input));
  await crib.close();
  process.send?.(results);
});
