/** Writes one file repeatedly, as another process. Arguments: the world's folder, a name, the number of writes. */
import { openKeepFixture } from "./keep-world.ts";

const [home, name, count] = process.argv.slice(2) as [string, string, string];
const crib = await openKeepFixture(home);
for (let round = 0; round < Number(count); round += 1) {
  const { error } = await crib.call("file.write", { path: "a.txt", content: `${name} ${round}\n` });
  if (error) throw new Error(error.message);
}
await crib.close();
